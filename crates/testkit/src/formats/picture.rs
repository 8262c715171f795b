//! Images that no encoder would write.

/// A PNG with a correct header of these dimensions, eight bits RGB, and this as its compressed pixels.
pub fn png(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend_from_slice(&width.to_be_bytes());
    header.extend_from_slice(&height.to_be_bytes());
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", header.as_slice()), (b"IDAT", data), (b"IEND", b"")] {
        bytes.extend_from_slice(&u32::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(&checksum(&[name, data].concat()).to_be_bytes());
    }
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0xEDB8_8320 },
        )
    })
}

/// A segment for a JPEG that says how the camera was held.
pub fn exif(orientation: u8) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xE1, 0, 34];
    bytes.extend_from_slice(b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    bytes.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    bytes
}
