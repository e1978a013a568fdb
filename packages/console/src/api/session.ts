import { useSyncExternalStore } from 'react'
import { forget, keep, kept, keptUntil } from './kept.ts'

/** A person can be logged in as a user of an account and as the operator concurrently; the sessions are independent. */
export type Role = 'user' | 'operator'

/** `ended`: the service no longer accepts the token; the page waits for a new login. */
type SessionState = { token: string; person: string } | { token?: undefined; person: string; ended: boolean }

const roles = ['user', 'operator'] as const
const loggedOut: SessionState = { person: '', ended: false }
const sessions: Record<Role, SessionState> = { user: begun('user') ?? loggedOut, operator: begun('operator') ?? loggedOut }
const listeners = new Set<() => void>()
const whoseListeners = new Set<() => void>()

function begun(role: Role): SessionState | undefined {
  const token = kept(`token.${role}`)
  return token === undefined ? undefined : { token, person: kept(`person.${role}`) ?? '' }
}

const change = (role: Role, state: SessionState): void => {
  const other = sessions[role].person !== state.person || (state.token === undefined && !state.ended)
  sessions[role] = state
  if (other) for (const notify of whoseListeners) notify()
  for (const notify of listeners) notify()
}

export const tokenOf = (role: Role): string | undefined => sessions[role].token

/** Id of the last logged-in person, if remembered. */
export const idOf = (role: Role): string | undefined => kept(`id.${role}`)

export const rememberId = (role: Role, id: string): void => keep(`id.${role}`, id, keptUntil(`token.${role}`))

/** `person`: the login name. */
export const beginSession = (role: Role, token: string, person: string, until: 'forgotten' | 'closed'): void => {
  forget(`id.${role}`)
  keep(`person.${role}`, person, until)
  keep(`token.${role}`, token, until) // triggers the other tabs
  change(role, { token, person })
}

/** The same person has logged in again. */
export const renewSession = (role: Role, token: string): void =>
  beginSession(role, token, sessions[role].person, keptUntil(`token.${role}`))

/** The token was rejected. */
export const suspendSession = (role: Role): void => {
  forget(`token.${role}`)
  change(role, { person: sessions[role].person, ended: true })
}

/** The person has logged out. */
export const endSession = (role: Role): void => {
  for (const name of ['id', 'person', 'token']) forget(`${name}.${role}`)
  change(role, loggedOut)
}

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

export const useSession = (role: Role): SessionState => useSyncExternalStore(subscribe, () => sessions[role])

/** Called when the user logs out or another one logs in, who must not see cached data. */
export const whenPersonChanges = (forgetEverything: () => void): unknown => whoseListeners.add(forgetEverything)

// Login and logout apply to all tabs; so does a rejected token.
addEventListener('storage', ({ key }) => {
  for (const role of roles) {
    if (key !== `offhook.token.${role}` && key !== null) continue
    const person = kept(`person.${role}`)
    change(role, begun(role) ?? (person === undefined ? loggedOut : { person, ended: true }))
  }
})
