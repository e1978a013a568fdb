/** There is nobody at the address, or not any more. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(url: string, reason: string) {
    const { origin, pathname } = new URL(url) // what else stands there may be a secret
    super(`${origin === 'null' ? new URL(url).host : origin}${pathname} cannot be reached: ${reason}`)
  }
}

/** Of a request that failed. */
export const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  return code ?? message ?? 'unknown'
}
