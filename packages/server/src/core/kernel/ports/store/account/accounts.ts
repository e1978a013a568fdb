import type { features } from '@offhook/contract/operator/accounts.ts'
import type { Locale } from '#core/kernel/translations/index.ts'

export type Feature = (typeof features)[number]

export interface Account {
  id: string
  company: string
  mainProductType: string
  logoUrl: string
  verified: boolean
  domain: string
  locale: Locale
  country: string
  tariffId: string | undefined
  tacsAccepted: boolean
  welcomeEnabled: boolean
  outboundEnabled: boolean
  /** Whether its users need one to log in. */
  secondFactor: boolean
  createdAt: number
}

export type NewAccount = Omit<Account, 'verified' | 'tacsAccepted' | 'outboundEnabled' | 'secondFactor'> & {
  verificationCodeHash: string | undefined
}

export interface OutboundReview {
  enabled: boolean
  reviewer: string
  reason: string
  at: number
}

export interface AccountPage {
  after: string
  limit: number
  /** A part of the company's name, large or small letters, or the beginning of the id. */
  search?: string
  ids?: readonly string[] | undefined
}

/** Accounts that were closed are not found by any of these. */
export interface Accounts {
  find(accountId: string): Promise<Account | undefined>
  list(page: AccountPage): Promise<Account[]>
  /** Other transactions that lock the account wait until this one is over. */
  lock(accountId: string): Promise<void>
  /** False when the id is taken. */
  insert(account: NewAccount): Promise<boolean>
  update(
    accountId: string,
    change: Partial<Pick<Account, 'company' | 'mainProductType' | 'logoUrl' | 'locale' | 'tariffId' | 'welcomeEnabled'>>,
  ): Promise<boolean>
  /** True when an unverified account has this code; it is verified from then on and the code is spent. */
  verify(accountId: string, codeHash: string): Promise<boolean>
  setVerificationCode(accountId: string, codeHash: string): Promise<void>
  setTacsAccepted(accountId: string, at: number | undefined): Promise<void>
  setSecondFactor(accountId: string, demanded: boolean): Promise<void>
  close(accountId: string, at: number): Promise<boolean>
  features(accountId: string): Promise<Feature[]>
  bookFeature(accountId: string, feature: Feature, at: number): Promise<void>
  cancelFeature(accountId: string, feature: Feature): Promise<void>
  /** Switches outbound calls on or off and keeps who decided it and why. */
  reviewOutbound(accountId: string, review: OutboundReview): Promise<void>
  outboundReviews(accountId: string): Promise<OutboundReview[]>
}
