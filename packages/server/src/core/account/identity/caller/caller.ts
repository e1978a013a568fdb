import type { UserRole } from '@offhook/contract/roles.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { ToolName } from '@offhook/contract/tools.ts'
import type { Grants } from './grants.ts'

/** A user of an account, identified by a token. */
export interface UserCaller {
  kind: 'user'
  accountId: string
  userId: string
  /** True only for the role ADMIN. */
  admin: boolean
  /** Role, if known: permissions beyond those of every user. */
  role?: UserRole | undefined
  /** Permissions of the user's own roles, which replace those of `role`; undefined without own roles. */
  grants?: Grants | undefined
  /** Empty when a required second factor is missing: this login may only set one up. */
  scopes: readonly Scope[]
  tokenId: string
  /** OAuth client that has the token. */
  clientId?: string | undefined
  /** Leash of the token, without its counters. */
  leash?: HeldBy | undefined
  /** Whether the login behind the token used a second factor. */
  secondFactor?: boolean
  /** The account requires a second factor, and the login had none. */
  lacksSecondFactor?: boolean
}

/** The part of a leash that is checked before an operation. */
export interface HeldBy {
  tools: readonly ToolName[]
  confirm: 'none' | 'client'
}

/** The operator of this installation. */
export interface OperatorCaller {
  kind: 'operator'
  operatorId: string
  /** All or, as with users, none. */
  scopes: readonly Scope[]
  tokenId: string
}

/** Another carrier's installation, identified by the signature of its message. */
export interface CarrierCaller {
  kind: 'carrier'
  code: string
}

/** Callers that a token can identify. */
export type KnownCaller = UserCaller | OperatorCaller

export type Caller = KnownCaller | CarrierCaller
