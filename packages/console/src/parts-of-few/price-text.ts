import { words } from '../words/languages.ts'

export const text = words({
  en: {
    perMinute: (money: string) => `${money} per minute`,
    connectFee: (money: string) => `${money} when answered`,
    perMessage: (money: string) => `${money} per SMS part`,
    perPage: (money: string) => `${money} per page`,
    interval: (first: number, next: number) => (first === next ? `charged every ${first} s` : `first ${first} s, then every ${next} s`),
    kinds: {
      FREE: 'Free of charge',
      ON_NET: 'Free of charge: reached without a carrier',
      EMERGENCY: 'Emergency call: always free of charge',
      CLOSED: 'Closed for this account, as a protection from fraud',
      BLOCKED: 'Cannot be reached from this account',
    },
  },
  de: {
    perMinute: (money: string) => `${money} pro Minute`,
    connectFee: (money: string) => `${money} beim Abheben`,
    perMessage: (money: string) => `${money} pro SMS-Teil`,
    perPage: (money: string) => `${money} pro Seite`,
    interval: (first: number, next: number) => (first === next ? `Abrechnung alle ${first} s` : `erste ${first} s, danach alle ${next} s`),
    kinds: {
      FREE: 'Kostenlos',
      ON_NET: 'Kostenlos: ohne anderes Netz erreichbar',
      EMERGENCY: 'Notruf: immer kostenlos',
      CLOSED: 'Für dieses Konto gesperrt, als Schutz vor Betrug',
      BLOCKED: 'Von diesem Konto aus nicht erreichbar',
    },
  },
})
