/** The endpoint does not answer, or no longer does. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(url: string, reason: string) {
    const { origin, pathname } = new URL(url) // query and credentials may be secret
    super(`${origin === 'null' ? new URL(url).host : origin}${pathname} cannot be reached: ${reason}`)
  }
}

/** Cause of a failed request. */
export const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  return code ?? message ?? 'unknown'
}
