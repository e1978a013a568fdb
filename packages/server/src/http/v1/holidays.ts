import type { holidayOperations } from '@offhook/contract/v1/holidays.ts'
import { holidaysOf } from '#core/account/schedules/holidays.ts'
import type { Handlers } from '../handler/context.ts'

export const holidayHandlers = (): Handlers<typeof holidayOperations> => ({
  listHolidays: ({ query }) => Promise.resolve(holidaysOf(query)),
})
