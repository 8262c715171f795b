def total(items):
    # todo: sum
    return None


def mean(items):
    # TODO: mean
    return None
