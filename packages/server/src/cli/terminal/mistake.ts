/** Something that the user can correct: printed without a stack. */
export class Mistake extends Error {
  /** 2: what was typed or set cannot be. 1: everything else. */
  readonly exitCode: 1 | 2

  constructor(exitCode: 1 | 2, message: string) {
    super(message)
    this.name = 'Mistake'
    this.exitCode = exitCode
  }
}
