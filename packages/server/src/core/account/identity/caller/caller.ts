import type { UserRole } from '@offhook/contract/roles.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { ToolName } from '@offhook/contract/tools.ts'

/** A user of an account, known by a token. */
export interface UserCaller {
  kind: 'user'
  accountId: string
  userId: string
  /** True of the role ADMIN and of no other. */
  admin: boolean
  /** Where it is known: what they may do besides what everybody may. */
  role?: UserRole | undefined
  /** None: a second factor is demanded, and this login may do nothing but set one up. */
  scopes: readonly Scope[]
  tokenId: string
  /** The app that has the token. */
  clientId?: string | undefined
  /** What holds the token, as far as it is not counted. */
  leash?: HeldBy | undefined
}

/** The part of a leash that is decided before anything is done. */
export interface HeldBy {
  tools: readonly ToolName[]
  confirm: 'none' | 'client'
}

/** Who runs this installation. */
export interface OperatorCaller {
  kind: 'operator'
  operatorId: string
  /** All or, as for users, none. */
  scopes: readonly Scope[]
  tokenId: string
}

/** Another carrier's installation, known by the signature of its message. */
export interface CarrierCaller {
  kind: 'carrier'
  code: string
}

/** Whom a token can stand for. */
export type KnownCaller = UserCaller | OperatorCaller

export type Caller = KnownCaller | CarrierCaller
