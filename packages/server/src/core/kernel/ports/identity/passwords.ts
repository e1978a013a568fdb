export interface Passwords {
  hash(password: string): Promise<string>
  /** With no hash (unknown user) it takes the same time as a real comparison and answers false. */
  matches(password: string, hash: string | undefined): Promise<boolean>
}
