def total(items):
    # todo: sum
    return 0


def mean(items):
    return total(items) / len(items)
