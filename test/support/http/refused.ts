import { ApiError } from '@offhook/sdk/client-of.ts'

/** For `assert.rejects`: matches an error of the service. */
export const refused =
  (code: string) =>
  (error: unknown): boolean => {
    if (error instanceof ApiError && error.body.code === code) return true
    throw error
  }
