/** Result of a promise; throws on timeout. */
export const within = async <T>(ms: number, what: string, promise: Promise<T>): Promise<T> => {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`${what}: nothing within ${ms} ms`)), ms)
  try {
    return await Promise.race([promise, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
