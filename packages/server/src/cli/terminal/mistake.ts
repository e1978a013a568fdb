/** Something that the user can correct: printed without a stack. */
export class Mistake extends Error {
  /** 2: what was typed or set cannot be. 3 and 4: nobody answers, or judges, where a test asks. 1: everything else. */
  readonly exitCode: 1 | 2 | 3 | 4

  constructor(exitCode: Mistake['exitCode'], message: string) {
    super(message)
    this.name = 'Mistake'
    this.exitCode = exitCode
  }
}
