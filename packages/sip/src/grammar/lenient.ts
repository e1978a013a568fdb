import { SipError } from './sip-error.ts'

/** Nonsense counts as nothing said: for what a peer may leave out, and for responses, which cannot be rejected. */
export const leniently = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof SipError) return undefined
    throw error
  }
}
