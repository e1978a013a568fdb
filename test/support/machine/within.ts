/** What becomes of a promise, unless it takes too long. */
export const within = async <T>(ms: number, what: string, promise: Promise<T>): Promise<T> => {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`${what}: nothing within ${ms} ms`)), ms)
  try {
    return await Promise.race([promise, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
