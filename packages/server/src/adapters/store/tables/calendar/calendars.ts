import { sql } from 'kysely'
import { cellMinutes } from '@offhook/contract/v3/calendars.ts'
import type { Booking, Bookings, Calendar, Calendars } from '#core/kernel/ports/store/calendar.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asJson, hidden, record } from '../record.ts'
import { affectedRows } from '../row-counts.ts'

const calendar = record<Schema['calendar'], Calendar>()({ settings: asJson<Calendar['settings']>(), account_id: hidden })

export const calendars = (db: Db, dialect: Dialect): Calendars => {
  const one = (accountId: string, id: string) =>
    db.selectFrom('calendar').selectAll().where('account_id', '=', accountId).where('id', '=', id)
  return {
    async list(accountId) {
      return calendar.all(db.selectFrom('calendar').selectAll().where('account_id', '=', accountId).orderBy('name').orderBy('id'))
    },

    async find(accountId, id) {
      return calendar.first(one(accountId, id))
    },

    async lock(accountId, id) {
      // SQLite allows only one writing transaction at a time anyway.
      return calendar.first(one(accountId, id).$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()))
    },

    async insert(accountId, input) {
      await db
        .insertInto('calendar')
        .values({ account_id: accountId, ...calendar.columns(input) })
        .execute()
    },

    async update(accountId, { id, ...input }) {
      await db.updateTable('calendar').set(calendar.columns(input)).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async remove(accountId, id) {
      await db.deleteFrom('calendar').where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async removeOf(accountId) {
      await db.deleteFrom('calendar').where('account_id', '=', accountId).execute()
    },
  }
}

const booking = record<Schema['booking'], Booking>()({ account_id: hidden })

const cellMs = cellMinutes * 60_000

export const bookings = (db: Db): Bookings => {
  const one = (accountId: string, id: string) => db.deleteFrom('booking').where('account_id', '=', accountId).where('id', '=', id)
  return {
    async find(accountId, calendarId, id) {
      const rows = db.selectFrom('booking').selectAll().where('account_id', '=', accountId)
      return booking.first(rows.where('calendar_id', '=', calendarId).where('id', '=', id))
    },

    async listBetween(accountId, calendarId, from, to) {
      const rows = db.selectFrom('booking').selectAll().where('account_id', '=', accountId).where('calendar_id', '=', calendarId)
      const within = rows.where('busy_to', '>', from).where('busy_from', '<', to).where('state', '!=', 'CANCELLED')
      return booking.all(within.orderBy('starts_at').orderBy('id'))
    },

    async listUpcoming(accountId, calendarId, { callId, phone }, now) {
      const rows = db.selectFrom('booking').selectAll().where('account_id', '=', accountId).where('calendar_id', '=', calendarId)
      const ahead = rows.where('ends_at', '>', now).where('state', '!=', 'CANCELLED')
      const own = ahead.where((row) => row.or([row('call_id', '=', callId), ...(phone === undefined ? [] : [row('phone', '=', phone)])]))
      return booking.all(own.orderBy('starts_at').orderBy('id').limit(20))
    },

    async insert(accountId, input) {
      await db
        .insertInto('booking')
        .values({ account_id: accountId, ...booking.columns(input) })
        .execute()
    },

    async update(accountId, { id, ...input }) {
      await db.updateTable('booking').set(booking.columns(input)).where('account_id', '=', accountId).where('id', '=', id).execute()
    },

    async takeCells({ id, calendarId, person, busyFrom, busyTo }) {
      const cells = Array.from({ length: (busyTo - busyFrom) / cellMs }, (_, nth) => busyFrom / cellMs + nth)
      const values = cells.map((cell) => ({ calendar_id: calendarId, person, cell, booking_id: id }))
      const insert = db.insertInto('booking_cell').values(values)
      return (await affectedRows(insert.onConflict((conflict) => conflict.doNothing()))) === cells.length
    },

    async releaseCells(accountId, id) {
      const own = db.selectFrom('booking').select('id').where('account_id', '=', accountId).where('id', '=', id)
      await db.deleteFrom('booking_cell').where('booking_id', 'in', own).execute()
    },

    async remove(accountId, id) {
      await one(accountId, id).execute()
    },

    async removeExpiredOf(accountId, calendarId, now) {
      const held = db.deleteFrom('booking').where('account_id', '=', accountId).where('calendar_id', '=', calendarId)
      await held.where('state', '=', 'HELD').where('hold_until', '<=', now).execute()
    },

    async removeExpired(now, limit) {
      const expired = db.selectFrom('booking').select('id').where('state', '=', sql.lit('HELD')).where('hold_until', '<=', now)
      return affectedRows(db.deleteFrom('booking').where('id', 'in', expired.limit(limit)))
    },

    async removeEndedBefore(at, limit) {
      const ended = db.selectFrom('booking').select('id').where('ends_at', '<', at)
      return affectedRows(db.deleteFrom('booking').where('id', 'in', ended.limit(limit)))
    },
  }
}
