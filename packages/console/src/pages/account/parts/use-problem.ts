import { useErrorText } from '#parts/form/use-error-text.ts'

/** What is wrong with a setting that is saved on its own, for the place below it. */
export const useProblem = (error: unknown): string | undefined => {
  const { message, specifics } = useErrorText(error)
  if (error === null || error === undefined) return undefined
  return specifics === undefined ? message : `${message} (${specifics})`
}
