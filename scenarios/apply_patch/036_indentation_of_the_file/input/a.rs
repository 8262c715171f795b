mod m {
	fn f() {
		g();
	}
}
