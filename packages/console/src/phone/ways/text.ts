import { words } from '#words/languages.ts'

export const text = words({
  en: {
    deskTitle: (who: string) => `Call ${who} with a desk phone`,
    deskLead: 'Your phone rings first. When you pick it up, the other side is called.',
    device: 'Phone',
    noDevice: 'You have no other phone than this browser. Add one under Devices.',
    offline: 'not connected',
    call: 'Call',
    ringsNow: 'Your phone is ringing now',
    assistantTitle: (who: string) => `Let an assistant call ${who}`,
    assistantLead: 'The assistant calls with the number of its flow and talks by itself. The call appears under Calls.',
    flow: 'Assistant',
    noFlow: 'There is no assistant yet.',
    pays: 'Charged to',
    notReviewed:
      'The operator of this service has not allowed your assistants to call anybody yet. They review how you use it first; ask them to.',
    reviewed: 'Reviewed: your assistants may call.',
    calling: 'The assistant is calling',
  },
  de: {
    deskTitle: (who: string) => `${who} mit einem Tischtelefon anrufen`,
    deskLead: 'Zuerst klingelt dein Telefon. Sobald du abnimmst, wird die andere Seite angerufen.',
    device: 'Telefon',
    noDevice: 'Du hast kein anderes Telefon als diesen Browser. Unter Geräte kannst du eines hinzufügen.',
    offline: 'nicht verbunden',
    call: 'Anrufen',
    ringsNow: 'Dein Telefon klingelt jetzt',
    assistantTitle: (who: string) => `${who} von einem Assistenten anrufen lassen`,
    assistantLead: 'Der Assistent ruft mit der Rufnummer seines Flows an und führt das Gespräch selbst. Der Anruf erscheint unter Anrufe.',
    flow: 'Assistent',
    noFlow: 'Es gibt noch keinen Assistenten.',
    pays: 'Abgerechnet über',
    notReviewed:
      'Der Betreiber dieses Dienstes hat deinen Assistenten noch nicht erlaubt, jemanden anzurufen. Er prüft vorher, wofür du es nutzt; bitte ihn darum.',
    reviewed: 'Geprüft: Deine Assistenten dürfen anrufen.',
    calling: 'Der Assistent ruft an',
  },
})
