//! A file as a stream of pieces.

use toolcrib_files::{LineNumber, Part, ReadRequest, read_chunks};
use toolcrib_tool::ErrorKind;

use crate::support::{Home, line, numbered};

#[test]
fn the_pieces_are_the_file() {
    for lines in [10_000, 300_000] {
        let home = Home::with("log", numbered(lines));
        home.call(move |call| {
            let part = Part::From { first: 3, limit: 1000 };
            let mut next = 3;
            let mut pieces = 0;
            for piece in read_chunks(call, &ReadRequest { part, ..ReadRequest::new("log") })? {
                let piece = piece?;
                assert_eq!(piece.first, LineNumber::FromStart(next));
                for shown in &piece.lines {
                    assert_eq!(shown.text, line(next));
                    next += 1;
                }
                pieces += 1;
                assert!(piece.lines.len() <= 1000);
            }
            assert_eq!(next, lines + 1);
            assert!(pieces >= lines / 1000);
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_change_meanwhile_ends_the_stream() {
    let home = Home::with("log", numbered(300_000));
    let path = home.path("log");
    home.call(move |call| {
        let mut pieces = read_chunks(call, &ReadRequest::new("log"))?;
        assert!(pieces.next().unwrap().is_ok());
        assert!(pieces.next().unwrap().is_ok());
        std::fs::write(&path, "something else\n").unwrap();
        let error = pieces.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(pieces.next().is_none());
        Ok(())
    })
    .unwrap();
}

#[test]
fn the_last_lines_are_one_piece_and_faults_are_items() {
    let home = Home::with("log", numbered(50));
    home.call(|call| {
        let last = ReadRequest { part: Part::Last(2), ..ReadRequest::new("log") };
        let pieces: Vec<_> = read_chunks(call, &last)?.collect::<Result<_, _>>()?;
        assert_eq!((pieces.len(), pieces[0].lines.len()), (1, 2));
        let past = ReadRequest { part: Part::From { first: 51, limit: 1 }, ..ReadRequest::new("log") };
        let mut pieces = read_chunks(call, &past)?;
        assert_eq!(pieces.next().unwrap().unwrap_err().kind(), ErrorKind::InvalidParameter);
        assert!(pieces.next().is_none());
        Ok(())
    })
    .unwrap();
}
