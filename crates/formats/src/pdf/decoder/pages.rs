//! The pages of a document, found by walking its page tree.

use std::collections::BTreeSet;
use std::rc::Rc;

use hayro_syntax::Pdf;
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, MaybeRef, ObjectIdentifier};

use super::open::{Opened, is_type};
use super::{Error, go_on};
use crate::Stop;

/// How many pages a document may have.
const MAX_PAGES: usize = 100_000;
/// How many nodes may lie between the root and a page.
const MAX_DEPTH: usize = 64;
/// How many pages may stand in the tree itself. The format allows none; each is kept whole.
const MAX_INLINE: usize = 1000;

/// The pages of a document, in order. Few bytes each: a page is read when it is asked for.
pub(super) struct Pages<'a> {
    pdf: &'a Pdf,
    pages: Vec<Place<'a>>,
}

struct Place<'a> {
    at: At<'a>,
    /// The resources that stand in a node above, for pages that have none of their own.
    inherited: Rc<Dict<'a>>,
}

enum At<'a> {
    Object(ObjectIdentifier),
    Inline(Dict<'a>),
}

/// A page's dictionary, and the resources it draws with.
pub(super) struct PageDict<'a> {
    pub(super) dict: Dict<'a>,
    pub(super) resources: Dict<'a>,
}

impl<'a> Pages<'a> {
    pub(super) fn of(opened: &'a Opened, stop: &dyn Stop) -> Result<Self, Error> {
        let pdf = &opened.pdf;
        let roots = opened.roots.iter().filter_map(|root| pdf.xref().get::<Dict<'a>>(*root));
        for root in roots {
            let pages = Self::below(pdf, &root, stop)?;
            if !pages.pages.is_empty() || is_empty_tree(&root) {
                return Ok(pages);
            }
        }
        Self::anywhere(pdf, stop)
    }

    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    pub(super) fn get(&self, number: usize) -> Option<PageDict<'a>> {
        let place = self.pages.get(number.checked_sub(1)?)?;
        let dict = match &place.at {
            At::Object(id) => self.pdf.xref().get::<Dict<'a>>(*id)?,
            At::Inline(dict) => dict.clone(),
        };
        let resources = dict.get::<Dict<'a>>(keys::RESOURCES).unwrap_or_else(|| (*place.inherited).clone());
        Some(PageDict { dict, resources })
    }

    /// The pages of the tree of a catalogue.
    fn below(pdf: &'a Pdf, root: &Dict<'a>, stop: &dyn Stop) -> Result<Self, Error> {
        let mut walk = Walk { pdf, stop, visited: BTreeSet::new(), pages: Vec::new(), inline: 0 };
        if let Some(top) = root.get::<Dict<'a>>(keys::PAGES) {
            walk.visited.extend(root.get_ref(keys::PAGES).map(ObjectIdentifier::from));
            walk.node(&top, &Rc::new(Dict::empty()), 0)?;
        }
        Ok(Self { pdf, pages: walk.pages })
    }

    /// All pages that are in the file, in the order in which they stand there: for a file without a tree.
    fn anywhere(pdf: &'a Pdf, stop: &dyn Stop) -> Result<Self, Error> {
        let mut pages = Vec::new();
        let inherited = Rc::new(Dict::empty());
        for object in pdf.objects() {
            go_on(stop)?;
            let Some(dict) = object.into_dict().filter(|dict| is_type(dict, b"Page")) else { continue };
            if let Some(id) = dict.obj_id() {
                pages.push(Place { at: At::Object(id), inherited: Rc::clone(&inherited) });
            }
            if pages.len() > MAX_PAGES {
                return Err(Error::TooLarge("it has too many pages"));
            }
        }
        if pages.is_empty() { Err(Error::Damaged("it has no pages")) } else { Ok(Self { pdf, pages }) }
    }
}

/// A catalogue whose tree says that it has no pages, as opposed to one that cannot be followed.
fn is_empty_tree(root: &Dict<'_>) -> bool {
    let kids = root.get::<Dict<'_>>(keys::PAGES).and_then(|pages| pages.get::<Array<'_>>(keys::KIDS));
    kids.is_some_and(|kids| kids.raw_iter().next().is_none())
}

struct Walk<'a, 's> {
    pdf: &'a Pdf,
    stop: &'s dyn Stop,
    /// The nodes and pages that were seen: a tree may run into itself.
    visited: BTreeSet<ObjectIdentifier>,
    pages: Vec<Place<'a>>,
    inline: usize,
}

impl<'a> Walk<'a, '_> {
    fn node(&mut self, node: &Dict<'a>, inherited: &Rc<Dict<'a>>, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Ok(());
        }
        let own = node.get::<Dict<'a>>(keys::RESOURCES).map(Rc::new);
        let inherited = own.as_ref().unwrap_or(inherited);
        let kids = node.get::<Array<'a>>(keys::KIDS);
        for kid in kids.iter().flat_map(Array::raw_iter) {
            go_on(self.stop)?;
            match kid {
                MaybeRef::Ref(at) => {
                    let id = ObjectIdentifier::from(at);
                    if self.visited.insert(id)
                        && let Some(dict) = self.pdf.xref().get::<Dict<'a>>(id)
                    {
                        self.kid(At::Object(id), &dict, inherited, depth)?;
                    }
                }
                MaybeRef::NotRef(object) => {
                    if let Some(dict) = object.into_dict() {
                        self.inline += 1;
                        if self.inline > MAX_INLINE {
                            return Err(Error::TooLarge("too many of its pages are in the tree itself"));
                        }
                        self.kid(At::Inline(dict.clone()), &dict, inherited, depth)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn kid(
        &mut self,
        at: At<'a>,
        dict: &Dict<'a>,
        inherited: &Rc<Dict<'a>>,
        depth: usize,
    ) -> Result<(), Error> {
        // What has kids is a node, whatever it calls itself, and what calls itself nothing is a page.
        if is_type(dict, keys::PAGES) || dict.contains_key(keys::KIDS) && !is_type(dict, b"Page") {
            return self.node(dict, inherited, depth + 1);
        }
        self.pages.push(Place { at, inherited: Rc::clone(inherited) });
        if self.pages.len() > MAX_PAGES { Err(Error::TooLarge("it has too many pages")) } else { Ok(()) }
    }
}
