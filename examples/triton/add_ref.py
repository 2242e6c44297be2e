def reference(x, y, out):
    out.copy_(x + y)
