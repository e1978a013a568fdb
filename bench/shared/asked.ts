import { parseArgs, type ParseArgsConfig } from 'node:util'

/** Invalid options; only the message is printed. */
export class WrongOptions extends Error {
  constructor(message: string, usage: string) {
    super(`${message}\n\n${usage}`)
    this.name = 'WrongOptions'
  }
}

/** Parses these options and rejects others. */
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

/** Prints only the message of `WrongOptions` and of the given errors, without a stack. */
export const runAsked = async (run: () => Promise<void>, notified: readonly (new (...args: never[]) => Error)[] = []): Promise<void> => {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Error && [WrongOptions, ...notified].some((kind) => error instanceof kind))) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
