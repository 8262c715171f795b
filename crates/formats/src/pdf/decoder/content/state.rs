//! The part of the graphics state that places text.

use std::rc::Rc;

use hayro_font::kurbo::Affine;
use hayro_syntax::content::ops::TypedInstruction;

use crate::pdf::decoder::fonts::{TextFont, finite};

/// How many states can be saved. More are counted, so that each is restored once, and not kept.
const MAX_SAVED: usize = 512;

/// What `q` saves and `Q` restores.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) ctm: Affine,
    pub(super) font: Option<Rc<TextFont<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl State<'_> {
    pub(super) fn new(ctm: Affine) -> Self {
        let (size, scale) = (1.0, 1.0);
        Self { ctm, font: None, size, char_space: 0.0, word_space: 0.0, scale, leading: 0.0, rise: 0.0 }
    }
}

/// The state of one content stream, with where the text stands.
pub(super) struct Stack<'a> {
    state: State<'a>,
    saved: Vec<State<'a>>,
    /// How many more were put aside than are kept.
    beyond: usize,
    text: Affine,
    line: Affine,
}

impl<'a> Stack<'a> {
    pub(super) fn new(state: State<'a>) -> Self {
        Self { state, saved: Vec::new(), beyond: 0, text: Affine::IDENTITY, line: Affine::IDENTITY }
    }

    pub(super) fn state(&self) -> &State<'a> {
        &self.state
    }

    /// From a glyph of height 1 to the page.
    pub(super) fn glyph_transform(&self) -> Affine {
        let State { ctm, size, scale, rise, .. } = self.state;
        ctm * self.text * Affine::new([size * scale, 0.0, 0.0, size, 0.0, rise])
    }

    /// Moves on behind a glyph, by so many thousandths of the size.
    pub(super) fn advance(&mut self, thousandths: f64, is_space: bool, horizontal: bool) {
        let State { size, char_space, word_space, scale, .. } = self.state;
        let space = char_space + if is_space { word_space } else { 0.0 };
        let step = thousandths / 1000.0 * size + space;
        self.text *= Affine::translate(if horizontal { (step * scale, 0.0) } else { (0.0, step) });
    }

    /// Moves back by so many thousandths of the size.
    pub(super) fn adjust(&mut self, thousandths: f64) {
        let horizontal = self.state.font.as_ref().is_none_or(|font| font.is_horizontal());
        let step = finite(-thousandths / 1000.0 * self.state.size);
        self.text *= Affine::translate(if horizontal { (step * self.state.scale, 0.0) } else { (0.0, step) });
    }

    pub(super) fn next_line(&mut self) {
        self.move_line(0.0, -self.state.leading);
    }

    pub(super) fn set_spaces(&mut self, word: f64, char: f64) {
        (self.state.word_space, self.state.char_space) = (word, char);
    }

    pub(super) fn set_font(&mut self, font: Option<Rc<TextFont<'a>>>, size: f64) {
        (self.state.font, self.state.size) = (font, size);
    }

    pub(super) fn set_fallback(&mut self, font: Option<Rc<TextFont<'a>>>) {
        self.state.font = font;
    }

    /// Applies an operator that draws nothing. Most of them do nothing to text, either.
    pub(super) fn apply(&mut self, operator: &TypedInstruction<'_, '_>) {
        match operator {
            TypedInstruction::SaveState(_) if self.saved.len() < MAX_SAVED => {
                self.saved.push(self.state.clone())
            }
            TypedInstruction::SaveState(_) => self.beyond += 1,
            TypedInstruction::RestoreState(_) if self.beyond > 0 => self.beyond -= 1,
            TypedInstruction::RestoreState(_) => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            TypedInstruction::Transform(m) => {
                let matrix = [m.0, m.1, m.2, m.3, m.4, m.5].map(|number| number.as_f64());
                self.state.ctm *= Affine::new(matrix);
            }
            TypedInstruction::BeginText(_) => self.set_line(Affine::IDENTITY),
            TypedInstruction::SetTextMatrix(m) => {
                self.set_line(Affine::new([m.0, m.1, m.2, m.3, m.4, m.5].map(|number| number.as_f64())));
            }
            TypedInstruction::NextLine(step) => self.move_line(step.0.as_f64(), step.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(step) => {
                self.state.leading = -step.1.as_f64();
                self.move_line(step.0.as_f64(), step.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => self.next_line(),
            TypedInstruction::CharacterSpacing(space) => self.state.char_space = space.0.as_f64(),
            TypedInstruction::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
            TypedInstruction::HorizontalScaling(scale) => self.state.scale = scale.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
            TypedInstruction::TextRise(rise) => self.state.rise = rise.0.as_f64(),
            _ => {}
        }
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.set_line(self.line * Affine::translate((x, y)));
    }

    fn set_line(&mut self, line: Affine) {
        self.line = line;
        self.text = line;
    }
}
