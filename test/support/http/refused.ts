import { ApiError } from '@offhook/sdk/client-of.ts'

/** For `assert.rejects`: the service said no, and why. */
export const refused =
  (code: string) =>
  (error: unknown): boolean => {
    if (error instanceof ApiError && error.body.code === code) return true
    throw error
  }
