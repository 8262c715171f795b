def one():
    pass
def two(a, b):
def three
class X:
    def four(self):
