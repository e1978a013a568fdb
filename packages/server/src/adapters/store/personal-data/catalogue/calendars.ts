import { nobody, ofAccount, ofParent, untilRemoved, type Entry, type Table } from './entry.ts'

/** Calendars and bookings. */
export const calendars = {
  calendar: {
    about: 'Calendars that are booked in: services, hours, names and mail addresses of those who do them',
    kept: untilRemoved,
    seenBy: 'users of the account',
    key: ['id'],
    columns: { id: 'id', account_id: 'id', name: 'words', settings: 'words' },
    account: ofAccount,
    mention: 'redact',
  },
  booking: {
    about:
      'Bookings. After an erasure of the person who booked the row stays without name, number, mail address and note, so that the time stays taken',
    kept: '366 days after its end; what is held and not booked, some minutes',
    seenBy: 'users of the account',
    key: ['id'],
    columns: {
      id: 'id',
      account_id: 'id',
      calendar_id: 'id',
      service: 'no',
      person: 'id',
      name: 'name',
      phone: 'number',
      email: 'email',
      note: 'words',
      call_id: 'id',
    },
    account: ofAccount,
    number: { columns: ['phone'], erase: { name: 'null', phone: 'null', email: 'null', note: 'null' } },
    mention: 'redact',
  },
  booking_cell: {
    about: 'Which five minutes of a diary are taken',
    kept: 'as long as the booking',
    seenBy: nobody,
    key: ['calendar_id', 'person', 'cell'],
    columns: { calendar_id: 'id', person: 'id', booking_id: 'id' },
    account: ofParent('calendar_id', 'calendar'),
    mention: 'leave',
  },
} satisfies { [T in Table]?: Entry<T> }
