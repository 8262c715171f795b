# circles
def area(r):
	return 3.14 * r * r


def twice(r):
	return area(r) + area(r)
