import { parseArgs, type ParseArgsConfig } from 'node:util'

/** What was asked for cannot be done; its message is all that anybody has to read. */
export class WrongOptions extends Error {
  constructor(message: string, usage: string) {
    super(`${message}\n\n${usage}`)
    this.name = 'WrongOptions'
  }
}

/** The options as they were written; none but these. */
export const writtenOptions = <const T extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: T,
  usage: string,
) => {
  try {
    return parseArgs({ args: [...argv], options }).values
  } catch (error) {
    throw new WrongOptions(error instanceof Error ? error.message : String(error), usage)
  }
}

/** Whoever asked wrongly, or `told` otherwise, reads why and no stack. */
export const runAsked = async (run: () => Promise<void>, notified: readonly (new (...args: never[]) => Error)[] = []): Promise<void> => {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Error && [WrongOptions, ...notified].some((kind) => error instanceof kind))) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
