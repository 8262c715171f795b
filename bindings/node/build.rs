//! Lets the linker leave the functions of Node open, which whoever loads the module has.

fn main() {
    napi_build::setup();
}
