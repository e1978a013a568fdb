import { words } from '#words/languages.ts'

export const text = words({
  en: {
    try: 'Try the draft',
    tryHint: 'Speak or type. What you changed is saved first; callers do not get it.',
    saves: 'The draft is being saved …',
    answers: 'Answers',
    noAnswers: 'How long each answer took, and what it cost, appears here.',
    turn: 'Said',
    heardAfter: 'Heard after',
    firstToken: 'First token',
    tokens: 'Tokens',
    cost: 'Cost',
    greeting: 'Greeting',
    total: (tokens: string, cost: string | undefined) => `All together ${tokens} tokens${cost === undefined ? '' : `, ${cost}`}`,
  },
  de: {
    try: 'Entwurf ausprobieren',
    tryHint: 'Sprich oder tippe. Was du geändert hast, wird vorher gespeichert; Anrufer bekommen es nicht.',
    saves: 'Der Entwurf wird gespeichert …',
    answers: 'Antworten',
    noAnswers: 'Wie lange jede Antwort brauchte und was sie kostete, steht dann hier.',
    turn: 'Gesagt',
    heardAfter: 'Zu hören nach',
    firstToken: 'Erstes Token',
    tokens: 'Token',
    cost: 'Kosten',
    greeting: 'Begrüßung',
    total: (tokens: string, cost: string | undefined) => `Zusammen ${tokens} Token${cost === undefined ? '' : `, ${cost}`}`,
  },
})
