import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Sandbox time',
    description:
      'What takes days elsewhere takes a moment here: everything that falls due meanwhile happens in its order. Calls go by the real time.',
    now: 'Time in the sandbox',
    ahead: 'Ahead of the real time',
    forward: 'Advance the clock',
    hour: '1 hour',
    day: '1 day',
    week: '1 week',
    other: 'Another span',
    unit: 'Unit',
    units: { minutes: 'minutes', hours: 'hours', days: 'days' },
    body: 'The time cannot be put back, and this database stays a sandbox for good.',
    confirmTitle: (span: string) => `Advance the clock by ${span}?`,
    moved: 'The clock was advanced',
    off: 'This installation is no sandbox',
    offHint: 'Start it with OFFHOOK_SANDBOX=on and a database of its own to try out what takes time: portings, deadlines, retries.',
    days: (n: string) => `${n} days`,
    nothing: 'not at all',
  },
  de: {
    title: 'Sandbox-Zeit',
    description:
      'Was sonst Tage dauert, dauert hier einen Augenblick: Alles, was inzwischen fällig wird, geschieht in seiner Reihenfolge. Anrufe gehen nach der wirklichen Zeit.',
    now: 'Zeit in der Sandbox',
    ahead: 'Der wirklichen Zeit voraus',
    forward: 'Uhr vorstellen',
    hour: '1 Stunde',
    day: '1 Tag',
    week: '1 Woche',
    other: 'Eine andere Spanne',
    unit: 'Einheit',
    units: { minutes: 'Minuten', hours: 'Stunden', days: 'Tage' },
    body: 'Die Zeit lässt sich nicht zurückstellen, und diese Datenbank bleibt für immer eine Sandbox.',
    confirmTitle: (span: string) => `Die Zeit um ${span} vorstellen?`,
    moved: 'Die Zeit wurde vorgestellt',
    off: 'Diese Installation ist keine Sandbox',
    offHint:
      'Starte sie mit OFFHOOK_SANDBOX=on und einer eigenen Datenbank, um auszuprobieren, was Zeit braucht: Portierungen, Fristen, Wiederholungen.',
    days: (n: string) => `${n} Tage`,
    nothing: 'gar nicht',
  },
})
