/** Keys of the installation; the first letters of `kid` say what for. The private part is sealed by the vault. */
export interface SigningKey {
  kid: string
  jwkSealed: string
  createdAt: number
}

export interface SigningKeys {
  /** Newest first. */
  list(): Promise<SigningKey[]>
  /** Keeps the key that is there when the kid is taken, so that several processes end up with the same one. */
  insert(key: SigningKey): Promise<void>
}
