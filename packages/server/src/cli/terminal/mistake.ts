/** An error that the user can correct: printed without a stack. */
export class Mistake extends Error {
  /** 2: invalid arguments or settings. 3 and 4: no endpoint, or no judge, for a test. 1: everything else. */
  readonly exitCode: 1 | 2 | 3 | 4

  constructor(exitCode: Mistake['exitCode'], message: string) {
    super(message)
    this.name = 'Mistake'
    this.exitCode = exitCode
  }
}
