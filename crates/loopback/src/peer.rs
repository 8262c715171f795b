//! Which user a connection belongs to, as the kernel lists it (proc_pid_net(5)).

use std::net::{SocketAddr, SocketAddrV4};
use std::os::unix::fs::MetadataExt;

/// Whether a connection to `own` from `peer` certainly belongs to another user, who is not root either. Where the kernel does
/// not tell, it does not.
#[must_use]
pub fn is_of_another_user(peer: SocketAddr, own: SocketAddr) -> bool {
    let (SocketAddr::V4(peer), SocketAddr::V4(own)) = (peer, own) else { return false };
    let (Some(table), Some(us)) = (table(), own_user()) else { return false };
    owner(&table, peer, own).is_some_and(|user| user != us && user != 0)
}

#[expect(clippy::disallowed_methods, reason = "about a connection, not about a file of the user's")]
fn table() -> Option<String> {
    std::fs::read_to_string("/proc/net/tcp").ok()
}

#[expect(clippy::disallowed_methods, reason = "about the process, not about a file of the user's")]
fn own_user() -> Option<u32> {
    std::fs::metadata("/proc/self").ok().map(|status| status.uid())
}

/// The user of the socket that `peer` connected to `own`.
fn owner(table: &str, peer: SocketAddrV4, own: SocketAddrV4) -> Option<u32> {
    let (from, to) = (listed(peer), listed(own));
    table.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let is_it = fields.next()? == from && fields.next()? == to;
        // state, queues, timer, retransmissions, uid
        is_it.then(|| fields.nth(4)?.parse().ok())?
    })
}

/// An address as the kernel lists it: the four bytes as one number of the machine, in hexadecimal.
fn listed(address: SocketAddrV4) -> String {
    format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_owner_of_a_connection_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap();
        let client = TcpStream::connect(own).unwrap();
        let (_server, peer) = listener.accept().unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
        let (SocketAddr::V4(peer), SocketAddr::V4(own)) = (peer, own) else { unreachable!() };
        assert_eq!(owner(&table().unwrap(), peer, own), own_user());
        assert!(!is_of_another_user(peer.into(), own.into()));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn another_user_is_told_apart() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             \x20  0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 11 1\n\
             \x20  1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 65534        0 12 1\n";
        let (server, client) = ("127.0.0.1:8080".parse().unwrap(), "127.0.0.1:50000".parse().unwrap());
        assert_eq!((owner(table, client, server), owner(table, server, client)), (Some(65534), Some(1000)));
        assert_eq!(owner(table, "127.0.0.1:50001".parse().unwrap(), server), None);
        assert_eq!(owner("", client, server), None);
    }
}
