import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Sandbox time',
    description:
      'What normally takes days takes a moment here: everything that becomes due in the meantime happens in order. Calls run in real time.',
    now: 'Time in the sandbox',
    ahead: 'Ahead of real time',
    forward: 'Advance the clock',
    hour: '1 hour',
    day: '1 day',
    week: '1 week',
    other: 'Other duration',
    unit: 'Unit',
    units: { minutes: 'minutes', hours: 'hours', days: 'days' },
    body: 'The clock cannot be turned back, and this database stays a sandbox for good.',
    confirmTitle: (span: string) => `Advance the clock by ${span}?`,
    moved: 'Clock advanced',
    off: 'This installation is not a sandbox',
    offHint: 'Start it with OFFHOOK_SANDBOX=on and a separate database to try out things that take time: portings, deadlines, retries.',
    days: (n: string) => `${n} days`,
    nothing: 'none',
  },
  de: {
    title: 'Sandbox-Zeit',
    description:
      'Was sonst Tage dauert, dauert hier einen Augenblick: Alles, was inzwischen fällig wird, passiert der Reihe nach. Anrufe laufen in Echtzeit.',
    now: 'Zeit in der Sandbox',
    ahead: 'Vorsprung vor der echten Zeit',
    forward: 'Uhr vorstellen',
    hour: '1 Stunde',
    day: '1 Tag',
    week: '1 Woche',
    other: 'Andere Dauer',
    unit: 'Einheit',
    units: { minutes: 'Minuten', hours: 'Stunden', days: 'Tage' },
    body: 'Die Uhr lässt sich nicht zurückstellen, und diese Datenbank bleibt für immer eine Sandbox.',
    confirmTitle: (span: string) => `Die Uhr um ${span} vorstellen?`,
    moved: 'Uhr vorgestellt',
    off: 'Diese Installation ist keine Sandbox',
    offHint:
      'Starte sie mit OFFHOOK_SANDBOX=on und einer eigenen Datenbank, um auszuprobieren, was Zeit braucht: Portierungen, Fristen, Wiederholungen.',
    days: (n: string) => `${n} Tage`,
    nothing: 'keiner',
  },
})
