import { words } from '#words/languages.ts'

export const text = words({
  en: {
    try: 'Try the draft',
    tryHint: 'Speak or type. Your changes are saved first; callers do not see them.',
    saves: 'Saving the draft …',
    answers: 'Answers',
    noAnswers: 'How long each answer took and what it cost appears here.',
    turn: 'Said',
    heardAfter: 'Heard after',
    firstToken: 'First token',
    tokens: 'Tokens',
    cost: 'Cost',
    greeting: 'Greeting',
    total: (tokens: string, cost: string | undefined) => `${tokens} tokens in total${cost === undefined ? '' : `, ${cost}`}`,
  },
  de: {
    try: 'Entwurf ausprobieren',
    tryHint: 'Sprich oder tippe. Deine Änderungen werden vorher gespeichert; für Anrufer gelten sie noch nicht.',
    saves: 'Der Entwurf wird gespeichert …',
    answers: 'Antworten',
    noAnswers: 'Wie lange jede Antwort gedauert und was sie gekostet hat, erscheint hier.',
    turn: 'Gesagt',
    heardAfter: 'Zu hören nach',
    firstToken: 'Erstes Token',
    tokens: 'Token',
    cost: 'Kosten',
    greeting: 'Begrüßung',
    total: (tokens: string, cost: string | undefined) => `Insgesamt ${tokens} Token${cost === undefined ? '' : `, ${cost}`}`,
  },
})
