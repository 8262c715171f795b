def area(r):
	return 3.14159 * r ** 2


def twice(r):
	return area(r) + area(r)
