//! Segments against a model that keeps the grams of each document.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// The grams of each document.
type Model = BTreeMap<u32, BTreeSet<Gram>>;

fn gram(number: u32) -> Gram {
    Gram::from_number(number).unwrap()
}

fn built(model: &Model) -> Vec<u8> {
    let mut builder = SegmentBuilder::new();
    for (document, grams) in model {
        builder.add(*document, &grams.iter().rev().copied().collect::<Vec<_>>());
    }
    let mut bytes = Vec::new();
    builder.write_to(&mut bytes).unwrap();
    bytes
}

fn opened(model: &Model) -> Segment {
    Segment::open(Box::new(built(model))).unwrap()
}

/// The documents that satisfy the plan, each looked at by itself.
fn expected(model: &Model, plan: &Plan) -> Vec<u32> {
    let admitted = |grams: &BTreeSet<Gram>| plan.admits(&mut |gram| grams.contains(&gram));
    model.iter().filter(|(_, grams)| admitted(grams)).map(|(document, _)| *document).collect()
}

/// None of the documents is missing, all of them are in the segment, and they are in ascending order.
fn check(model: &Model, found: &Candidates, plan: &Plan) {
    let expected = expected(model, plan);
    match found {
        Candidates::All => assert!(!matches!(plan, Plan::Gram(_) | Plan::Nothing)),
        Candidates::Some(found) => {
            assert!(found.is_sorted_by(|left, right| left < right), "{found:?}");
            assert!(found.iter().all(|document| model.contains_key(document)));
            assert!(expected.iter().all(|document| found.binary_search(document).is_ok()), "{plan:?}");
            assert!(matches!(plan, Plan::All(_) | Plan::Any(_)) || *found == expected, "{plan:?}");
        }
    }
}

/// Grams that are near each other, far apart, and the first and last there are.
fn grams() -> impl Strategy<Value = Gram> {
    prop_oneof![6 => 1000..1030_u32, 2 => 0..Gram::COUNT, 1 => Just(0), 1 => Just(Gram::COUNT - 1)]
        .prop_map(gram)
}

/// Few documents with any grams, or many with frequent ones.
fn models() -> impl Strategy<Value = Model> {
    let documents = prop_oneof![0..300_u32, any::<u32>()];
    let few =
        proptest::collection::btree_map(documents, proptest::collection::btree_set(grams(), 0..20), 0..30);
    let many = (1..1000_u32, proptest::collection::vec(1..30_u32, 1..30)).prop_map(|(count, steps)| {
        let has =
            |document: u32| steps.iter().zip(1000..).filter(move |(step, _)| document.is_multiple_of(**step));
        let grams = |document| has(document).map(|(_, number)| gram(number)).collect();
        (0..count).map(|document| (document * 3 + 7, grams(document))).collect()
    });
    prop_oneof![few, many]
}

fn plans() -> impl Strategy<Value = Plan> {
    let leaf =
        prop_oneof![8 => grams().prop_map(Plan::Gram), 1 => Just(Plan::Everything), 1 => Just(Plan::Nothing)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let parts = || proptest::collection::vec(inner.clone(), 0..5);
        prop_oneof![parts().prop_map(Plan::All), parts().prop_map(Plan::Any)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_document_is_missing(model in models(), plans in proptest::collection::vec(plans(), 20)) {
        let segment = opened(&model);
        for plan in &plans {
            let found = segment.documents(plan).unwrap();
            check(&model, &found, plan);
        }
        for number in (1000..1030).chain([0, Gram::COUNT - 1]) {
            let plan = Plan::Gram(gram(number));
            check(&model, &segment.documents(&plan).unwrap(), &plan);
        }
    }

    #[test]
    fn bytes_that_are_no_segment_are_damaged(bytes: Vec<u8>, model in models(), at: prop::sample::Index, plan in plans()) {
        prop_assert_eq!(Segment::open(Box::new(bytes.clone())).err(), Some(Damaged));
        let mut damaged = built(&model);
        let at = at.index(damaged.len());
        let end = damaged.len().min(at + bytes.len());
        damaged.splice(at..end, bytes);
        if let Ok(found) = Segment::open(Box::new(damaged)).and_then(|segment| segment.documents(&plan)) {
            prop_assert_eq!(found, opened(&model).documents(&plan).unwrap());
        }
    }
}

fn small() -> Model {
    let has = |document: u32| (0..12_u32).filter(move |number| document.is_multiple_of(number + 1));
    let grams = |document: u32| has(document).map(|number| gram(number * number * 999)).collect();
    [3, 5, 6, 8, 12, 300, 40_000].into_iter().map(|document| (document, grams(document))).collect()
}

/// The segment is damaged, or tells of each gram what the model does.
fn check_damaged(model: &Model, bytes: Vec<u8>) {
    let Ok(segment) = Segment::open(Box::new(bytes.into_boxed_slice())) else {
        return;
    };
    for number in 0..12 {
        let plan = Plan::Gram(gram(number * number * 999));
        if let Ok(found) = segment.documents(&plan) {
            assert_eq!(found, Candidates::Some(expected(model, &plan)));
        }
    }
}

#[test]
fn no_single_byte_can_change_an_answer() {
    let model = small();
    let bytes = built(&model);
    for index in 0..bytes.len() {
        for change in 1..=u8::MAX {
            let mut damaged = bytes.clone();
            damaged[index] ^= change;
            check_damaged(&model, damaged);
        }
    }
}

#[test]
fn a_segment_that_was_cut_or_has_more_is_damaged() {
    let bytes = built(&small());
    for length in 0..bytes.len() {
        assert_eq!(Segment::open(Box::new(bytes[..length].to_vec())).err(), Some(Damaged));
        assert_eq!(Segment::open(Box::new(bytes[bytes.len() - length..].to_vec())).err(), Some(Damaged));
    }
    assert_eq!(Segment::open(Box::new([&bytes[..], &[0]].concat())).err(), Some(Damaged));
    assert!(Segment::open(Box::new(bytes)).is_ok());
}

#[test]
fn a_segment_of_another_format_is_damaged() {
    for index in 0..HEADER.len() {
        let mut bytes = built(&small());
        bytes[index] += 1;
        assert_eq!(Segment::open(Box::new(bytes)).err(), Some(Damaged));
    }
}

#[test]
fn a_storage_that_fails_is_damaged() {
    struct Failing(Vec<u8>);
    impl Storage for Failing {
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            // The lists cannot be read.
            if offset > 0 && offset < 40 {
                Err(io::ErrorKind::Other.into())
            } else {
                self.0.read_at(offset, buffer)
            }
        }
        fn size(&self) -> u64 {
            self.0.size()
        }
    }
    let segment = Segment::open(Box::new(Failing(built(&small())))).unwrap();
    assert_eq!(segment.documents(&Plan::Gram(gram(999))), Err(Damaged));
    assert_eq!(segment.documents(&Plan::Gram(gram(5))), Ok(Candidates::Some(vec![])));
}

#[test]
fn an_empty_segment_has_no_documents() {
    let builder = SegmentBuilder::new();
    assert!(builder.is_empty());
    let segment = opened(&Model::new());
    assert_eq!(segment.documents(&Plan::Gram(gram(5))), Ok(Candidates::Some(vec![])));
    assert_eq!(segment.documents(&Plan::Everything), Ok(Candidates::All));
    assert_eq!(segment.documents(&Plan::Nothing), Ok(Candidates::Some(vec![])));
}

#[test]
fn lists_are_intersected_where_that_makes_a_difference() {
    let steps = [1, 2, 50, 70, 500];
    let grams =
        |document: u32| steps.into_iter().filter(|step| document.is_multiple_of(*step)).map(gram).collect();
    let model: Model = (0..100_000).map(|document| (document, grams(document))).collect();
    let segment = opened(&model);
    let all = |numbers: &[u32]| {
        let parts = numbers.iter().map(|number| Plan::Gram(gram(*number))).collect();
        match segment.documents(&Plan::All(parts)) {
            Ok(Candidates::Some(found)) => found.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((all(&[50, 70]), all(&[500, 50, 70]), all(&[1, 7])), (286, 29, 0));
    // The second list is too long to be read.
    assert_eq!((all(&[70, 2]), all(&[2, 1])), (1429, 50_000));
    assert_eq!(
        segment.documents(&Plan::Any(vec![Plan::Gram(gram(1)), Plan::Gram(gram(500))])),
        Ok(Candidates::All)
    );
}

#[test]
fn memory_stays_near_the_size() {
    let mut builder = SegmentBuilder::new();
    let mut bytes = 0;
    for document in 0..20_000_u32 {
        let grams: Vec<_> = (0..200).map(|n| gram((document % 7 + 1) * n * 37 % 5000)).collect();
        let grams: Vec<_> = grams.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        bytes += grams.len();
        builder.add(document, &grams);
    }
    assert!(builder.memory() < bytes * 13 / 10 + (2 << 20), "{} for {bytes}", builder.memory());
    let mut written = Vec::new();
    builder.write_to(&mut written).unwrap();
    let segment = Segment::open(Box::new(written)).unwrap();
    assert!(segment.size() < bytes as u64 * 11 / 10);
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "ascending order"))]
fn documents_in_any_other_order_are_noticed() {
    let mut builder = SegmentBuilder::new();
    let mut bytes = Vec::new();
    builder.add(5, &[gram(1)]);
    builder.add(5, &[gram(1)]);
    builder.write_to(&mut bytes).unwrap();
    let segment = Segment::open(Box::new(bytes));
    assert_eq!(segment.and_then(|segment| segment.documents(&Plan::Gram(gram(1)))), Err(Damaged));
}
