mod m {
	fn f() {
		h();
		i();
	}
}
