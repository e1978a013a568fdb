import { useSyncExternalStore } from 'react'
import { forget, keep, kept } from './kept.ts'

/** A person can be logged in as a user of an account and as the operator at the same time; the two know nothing of each other. */
export type Role = 'user' | 'operator'

/** `ended`: the service no longer takes the token. */
export type SessionState = { token: string } | { token?: undefined; ended: boolean }

const sessions: Record<Role, SessionState> = { user: read('user'), operator: read('operator') }
const listeners = new Set<() => void>()

function read(role: Role): SessionState {
  const token = kept(`token.${role}`)
  return token === undefined ? { ended: false } : { token }
}

const change = (role: Role, state: SessionState): void => {
  sessions[role] = state
  for (const tell of listeners) tell()
}

export const tokenOf = (role: Role): string | undefined => sessions[role].token

export const beginSession = (role: Role, token: string, until: 'forgotten' | 'closed'): void => {
  keep(`token.${role}`, token, until)
  change(role, { token })
}

/** The token is refused, or the person has logged out. */
export const endSession = (role: Role, { ended }: { ended: boolean }): void => {
  forget(`token.${role}`)
  change(role, { ended })
}

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export const useSession = (role: Role): SessionState => useSyncExternalStore(subscribe, () => sessions[role])

// Logging in or out in one tab does it in all of them.
addEventListener('storage', ({ key }) => {
  for (const role of ['user', 'operator'] as const) if (key === `offhook.token.${role}`) change(role, read(role))
})
