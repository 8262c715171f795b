//! A question is answered once, by whoever is first, and everybody is told.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolcrib_access::{Decision, Replacement};
use toolcrib_desk::{AtDesk, By, DeskError, Event, Patience, Verdict};

use crate::{Asking, LONG, Watching, answer, own, request, waiting};

#[test]
fn what_is_answered_is_what_the_call_gets() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let no = |reason: &str| Verdict::No { reason: Some(reason.to_owned()) };
    for (verdict, decision, word) in [
        (Verdict::Once, Decision::Once, "once"),
        (Verdict::Always, Decision::Always, "always"),
        (no("not today"), Decision::No(Some("not today".into())), "no"),
        (no(" "), Decision::No(None), "no"),
    ] {
        let decided = asking.ask(request("old\n", "new\n"), &token);
        let question = page.question();
        assert_eq!((question.tool.as_str(), question.agent.as_deref()), ("Edit", Some("agent 1")));
        assert_eq!(question.files[0].action, "update");
        let whole = page.desks.question(&question.id).unwrap();
        assert_eq!(whole.files[0].before.as_deref(), Some(&b"old\n"[..]));
        assert_eq!(whole.files[0].after.as_deref(), Some(&b"new\n"[..]));
        page.desks.answer(&question.id, answer(&question, verdict)).unwrap();
        assert_eq!(decided.recv_timeout(LONG).unwrap(), decision);
        assert_eq!(page.closed(), (question.id, By::Page, Some(word.to_owned())));
        assert!(page.desks.questions().is_empty());
    }
}

#[test]
fn an_answer_is_for_what_was_shown() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let decided = asking.ask(request("old\n", "new\n"), &token);
    let question = page.question();
    let mut other = answer(&question, Verdict::Once);
    other.digest = request("old\n", "else\n").digest.to_string();
    assert_eq!(page.desks.answer(&question.id, other), Err(DeskError::OtherDigest));
    let unknown = Verdict::Edited { keep: [(0, vec!["0123".to_owned()])].into(), text: BTreeMap::new() };
    let refused = page.desks.answer(&question.id, answer(&question, unknown)).unwrap_err();
    assert!(refused.to_string().contains("no hunk '0123'"), "{refused}");
    assert!(decided.try_recv().is_err(), "neither counted");
    page.desks.answer(&question.id, answer(&question, Verdict::Once)).unwrap();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once);
}

#[test]
fn an_edited_answer_is_another_change() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let edited = |keep: &[(usize, Vec<String>)], text: &[(usize, &str)]| {
        let text = text.iter().map(|(n, text)| (*n, (*text).to_owned())).collect();
        let decided = asking.ask(request("a\r\n", "b\r\n"), &token);
        let question = page.question();
        let verdict = Verdict::Edited { keep: keep.iter().cloned().collect(), text };
        page.desks.answer(&question.id, answer(&question, verdict)).unwrap();
        decided.recv_timeout(LONG).unwrap()
    };
    assert_eq!(edited(&[], &[]), Decision::Once, "nothing is another");
    assert_eq!(edited(&[], &[(0, "b\n")]), Decision::Once, "a form gives LF where the file has CRLF");
    assert!(matches!(edited(&[(0, vec![])], &[]), Decision::No(Some(_))), "nothing is left");
    let Decision::Edited(other) = edited(&[], &[(0, "c\nd")]) else { panic!("another text") };
    let expected = Replacement::Content { bytes: b"c\r\nd"[..].into(), kept: None };
    assert_eq!(other.files, [(0, expected)].into());
}

#[test]
fn of_two_answers_one_counts_and_the_other_is_told() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let pages = [Watching::of(asking.state()), Watching::of(asking.state())];
    for _ in 0..20 {
        let decided = asking.ask(request("old\n", "new\n"), &token);
        let question = pages[0].question();
        assert_eq!(pages[1].question(), question);
        let verdicts = [Verdict::Once, Verdict::No { reason: None }];
        let results: Vec<_> = std::thread::scope(|scope| {
            let answering = pages.iter().zip(verdicts).map(|(page, verdict)| {
                let answer = answer(&question, verdict);
                let (id, desks) = (&question.id, &page.desks);
                scope.spawn(move || desks.answer(id, answer))
            });
            let answering: Vec<_> = answering.collect();
            answering.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let lost = Err(DeskError::Gone { by: Some(By::Page) });
        let decision = decided.recv_timeout(LONG).unwrap();
        match decision {
            Decision::Once => assert_eq!(results, [Ok(()), lost]),
            Decision::No(None) => assert_eq!(results, [lost, Ok(())]),
            other => panic!("{other:?}"),
        }
        let word = if decision == Decision::Once { "once" } else { "no" };
        for page in &pages {
            assert_eq!(page.closed(), (question.id.clone(), By::Page, Some(word.to_owned())));
        }
    }
}

#[test]
fn the_own_approver_and_those_connected_are_asked_at_once() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    // The page is first: the other is told by its token.
    let waits = own(|cancelled| {
        while !cancelled.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Decision::Dismissed
    });
    let approver = || AtDesk::new(&asking.desk, waiting());
    let decided = asking.ask_with(approver().and(Some(waits)), request("old\n", "new\n"), &token);
    let question = page.question();
    assert_eq!(question.deadline, None, "somebody else is asked too, for as long as it takes");
    page.desks.answer(&question.id, answer(&question, Verdict::Once)).unwrap();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once);
    assert_eq!(page.closed().1, By::Page);
    // The other is first: the page is told.
    let says_no = own(|_| Decision::No(Some("no".into())));
    let decided = asking.ask_with(approver().and(Some(says_no)), request("old\n", "new\n"), &token);
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::No(Some("no".into())));
    let question = page.question();
    assert_eq!(page.closed(), (question.id.clone(), By::Here, Some("no".to_owned())));
    let late = page.desks.answer(&question.id, answer(&question, Verdict::Once));
    assert_eq!(late, Err(DeskError::Gone { by: Some(By::Here) }));
    // The other cannot ask: those connected still can.
    let cannot = own(|_| Decision::Unavailable("its window is gone".into()));
    let decided = asking.ask_with(approver().and(Some(cannot)), request("old\n", "new\n"), &token);
    let question = page.question();
    page.desks.answer(&question.id, answer(&question, Verdict::Always)).unwrap();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Always);
}

#[test]
fn where_nobody_is_there_a_call_waits_as_long_as_configured() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let with = |patience| asking.ask_with(AtDesk::new(&asking.desk, patience), request("a", "b"), &token);
    let Decision::Unavailable(why) = with(Patience::default()).recv_timeout(LONG).unwrap() else { panic!() };
    assert!(why.contains("there is no user to ask") && why.contains("toolcrib ui"), "{why}");
    let short = Patience { configured: Some(Duration::from_millis(30)), ..Patience::default() };
    let Decision::Unavailable(why) = with(short).recv_timeout(LONG).unwrap() else { panic!() };
    assert!(why.contains("nobody answered within 30ms") && why.contains("toolcrib ui"), "{why}");
    // With somebody there it waits, and goes on waiting when they close.
    let page = Watching::of(asking.state());
    let decided = with(Patience { configured: None, watched: LONG });
    let question = page.question();
    drop(page);
    let page = Watching::of(asking.state());
    assert_eq!(page.question(), question, "who comes later is asked too");
    page.desks.answer(&question.id, answer(&question, Verdict::Once)).unwrap();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once);
}

#[test]
fn a_cancelled_call_takes_its_question_back() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let page = Watching::of(asking.state());
    let decided = asking.ask(request("old\n", "new\n"), &token);
    let question = page.question();
    token.cancel();
    assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Dismissed);
    assert_eq!(page.closed(), (question.id.clone(), By::Cancelled, None));
    let late = page.desks.answer(&question.id, answer(&question, Verdict::Once));
    assert_eq!(late, Err(DeskError::Gone { by: Some(By::Cancelled) }));
}

#[test]
fn of_200_questions_none_is_lost_and_none_answered_twice() {
    const MANY: usize = 200;
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let pages = [Watching::of(asking.state()), Watching::of(asking.state())];
    let decided: Vec<_> = (0..MANY)
        .map(|n| asking.ask(request(&format!("old {n}\n"), &format!("new {n}\n")), &token))
        .collect();
    let counted = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for page in pages {
            let counted = &counted;
            scope.spawn(move || {
                let mut closed = HashSet::new();
                while closed.len() < MANY {
                    match page.next(Some) {
                        Event::Question(question) => {
                            match page.desks.answer(&question.id, answer(&question, Verdict::Once)) {
                                Ok(()) => counted.lock().unwrap().push(question.id),
                                Err(error) => assert_eq!(error, DeskError::Gone { by: Some(By::Page) }),
                            }
                        }
                        Event::Closed { id, by, .. } => assert!(by == By::Page && closed.insert(id)),
                        _ => {}
                    }
                }
                assert!(page.desks.questions().is_empty());
            });
        }
    });
    for decided in decided {
        assert_eq!(decided.recv_timeout(LONG).unwrap(), Decision::Once);
    }
    let counted = counted.into_inner().unwrap();
    assert_eq!(counted.len(), MANY);
    assert_eq!(counted.iter().collect::<HashSet<_>>().len(), MANY);
}
