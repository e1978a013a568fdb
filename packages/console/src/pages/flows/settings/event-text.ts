import { words } from '#words/languages.ts'

export const text = words({
  en: {
    events: 'More events',
    eventsHint: 'An endpoint that is strict may not know them, so each is sent only when you ask for it.',
    all: 'All usual ones',
    when: {
      assistant_speech_ended: 'Something that it said is over',
      user_input_timeout: 'The caller has not begun to speak in time',
      dtmf_received: 'A key was pressed',
      user_speech_started: 'The caller begins to speak; WebSocket only',
      action_discarded: 'An answer came too late',
      transfer_failed: 'The target did not take the call',
      machine_detected: 'A person or a machine has answered',
      session_resumed: 'Another machine goes on with the call',
      user_speech_unclear: 'The caller spoke and was not understood',
      user_backchannel: 'The caller only showed that they listen: “mhm”',
      user_speak_partial: 'What is understood while the caller speaks; WebSocket only',
      user_speak_preview: 'The caller has probably finished: an answer ahead of time',
      user_speak_revoked: 'The caller goes on after all; belongs to user_speak_preview',
    },
    offer: 'An endpoint is connected. It can be told more',
    offerHint:
      'Besides what was said: keys, silence, what was not understood, the end of each speech, failed transfers. It also gets confidence and language of what callers say. Programs that do not know an event should answer it with nothing.',
    take: 'Send all usual events',
    decline: 'No, thanks',
  },
  de: {
    events: 'Weitere Ereignisse',
    eventsHint: 'Ein strenger Endpunkt kennt sie vielleicht nicht, darum wird jedes nur auf Wunsch geschickt.',
    all: 'Alle üblichen',
    when: {
      assistant_speech_ended: 'Etwas, das er gesagt hat, ist zu Ende',
      user_input_timeout: 'Der Anrufer hat nicht rechtzeitig zu sprechen begonnen',
      dtmf_received: 'Eine Taste wurde gedrückt',
      user_speech_started: 'Der Anrufer beginnt zu sprechen; nur WebSocket',
      action_discarded: 'Eine Antwort kam zu spät',
      transfer_failed: 'Das Ziel hat das Gespräch nicht angenommen',
      machine_detected: 'Ein Mensch oder eine Maschine hat abgehoben',
      session_resumed: 'Eine andere Maschine führt das Gespräch weiter',
      user_speech_unclear: 'Der Anrufer sprach und wurde nicht verstanden',
      user_backchannel: 'Der Anrufer zeigte nur, dass er zuhört: „mhm“',
      user_speak_partial: 'Was verstanden wird, während der Anrufer spricht; nur WebSocket',
      user_speak_preview: 'Der Anrufer ist wohl fertig: eine Antwort im Voraus',
      user_speak_revoked: 'Der Anrufer spricht doch weiter; gehört zu user_speak_preview',
    },
    offer: 'Ein Endpunkt ist verbunden. Er kann mehr erfahren',
    offerHint:
      'Neben dem Gesagten: Tasten, Stille, was nicht verstanden wurde, das Ende jeder Ansage, gescheitertes Verbinden. Er bekommt auch Sicherheit und Sprache des Gesagten. Programme, die ein Ereignis nicht kennen, sollten es mit nichts beantworten.',
    take: 'Alle üblichen Ereignisse schicken',
    decline: 'Nein, danke',
  },
})
