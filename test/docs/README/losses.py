from spark_application import sc

args = {}


def work(args, ctx):
    return 1 / (ctx.task_index + 1)


# THE BLOCK OF THE PAGE

assert losses == [1, 0.5]
