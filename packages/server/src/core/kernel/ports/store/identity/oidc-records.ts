/**
 * What the identity provider remembers: browser sessions, running logins, codes, grants, refresh tokens. Knowing the id of most of
 * these could use them, so the id is a hash and the content is sealed.
 */
export interface OidcRecord {
  model: string
  idHash: string
  sealed: string
  grantId: string | undefined
  uid: string | undefined
  subject: string | undefined
  clientId: string | undefined
  expiresAt: number | undefined
}

export interface StoredOidcRecord {
  sealed: string
  consumedAt: number | undefined
}

/** One of several that belong to a user. */
export interface SubjectRecord extends StoredOidcRecord {
  idHash: string
}

export interface OidcRecords {
  /** Replaces a record with the same id. */
  put(record: OidcRecord): Promise<void>
  find(model: string, idHash: string, now: number): Promise<StoredOidcRecord | undefined>
  findByUid(model: string, uid: string, now: number): Promise<StoredOidcRecord | undefined>
  listBySubject(model: string, subject: string, now: number): Promise<SubjectRecord[]>
  /** True for exactly one of several callers. */
  consume(model: string, idHash: string, at: number): Promise<boolean>
  /** Whether it exists; if so, it cannot be removed until this transaction ends. */
  hold(model: string, idHash: string): Promise<boolean>
  remove(model: string, idHash: string): Promise<void>
  removeByGrant(grantId: string): Promise<void>
  /** Everything of a user, by the name that tokens call them. */
  removeBySubject(subject: string): Promise<void>
  removeByClient(clientId: string): Promise<void>
  removeExpired(now: number): Promise<number>
}
