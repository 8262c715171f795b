def total(items):
    # todo: sum
    return 0


def mean(items):
    # TODO: mean
    return 0
