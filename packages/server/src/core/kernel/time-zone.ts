import { Problem } from '@offhook/contract/problem.ts'

export const requireTimezone = (timezone: string, field = 'timezone'): void => {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw Problem.field(field, 'must be a name such as Europe/Berlin')
  }
}
