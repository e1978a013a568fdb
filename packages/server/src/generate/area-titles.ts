import type { Area } from '#core/operate/metrics/families/table.ts'

/** Headings of pages and rows of the dashboard. */
export const areaTitles: Record<Area, string> = {
  calls: 'Calls, phones and carriers',
  turn: 'Turns of assistants',
  sound: 'Sound',
  machine: 'Process and machine',
  store: 'Database and what waits in it',
  cluster: 'This process among others',
}
