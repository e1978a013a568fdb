import { codeOf } from './postgres-errors.ts'

const attempts = 5

/** On deadlocks and serialization failures PostgreSQL asks for another try; nothing of the lost one remains. */
export const retryLostRaces = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isLostRace(error) || attempt === attempts) throw error
    }
  }
}

/** Whoever says what could not be done has it as its cause. */
const isLostRace = (error: unknown): boolean =>
  error instanceof Error && (/^(40001|40P01)$/.test(String(codeOf(error))) || isLostRace(error.cause))
