import type { ErrorCode } from '@offhook/contract/errors.ts'
import type { explanationsEn, privacyEn } from './explanations-en.ts'

export const explanationsDe: Record<keyof typeof explanationsEn, string> = {
  'explain.running': 'Das Gespräch läuft noch.',
  'explain.end_unknown': 'Wie es endete, ist nicht bekannt.',
  'explain.lasted': 'Es dauerte {minutes} min {seconds} s.',
  'explain.turns.none': 'Der Anrufer sagte nichts, was verstanden wurde.',
  'explain.turns.one': 'Der Anrufer sprach einmal.',
  'explain.turns.many': 'Der Anrufer sprach {turns}-mal.',

  'explain.slow_turn_end': 'Der Anrufer musste {ms} ms schweigen, bis er fertig war; mehr als {limit} ms fallen auf.',
  'explain.slow_turn_end.advice':
    'Stellen Sie das Zuhören auf „quick“ oder eine kürzere end_of_turn_silence_ms; sagen Sie mit expects, wonach gefragt wird. Das Labor zeigt, was das abgeschnitten hätte.',
  'explain.slow_recognition': 'Nach dem letzten Wort dauerte es {ms} ms, bis die Wörter bekannt waren; mehr als {limit} ms fallen auf.',
  'explain.slow_recognition.advice':
    'Wählen Sie ein kleineres Modell oder einen Anbieter zum Erkennen, oder geben Sie der Maschine mehr Prozessoren.',
  'explain.slow_endpoint': 'Der Endpunkt brauchte {ms} ms zum Antworten; mehr als {limit} ms fallen auf.',
  'explain.slow_endpoint.advice':
    'Antworten Sie mit dem ersten Satz und senden Sie den Rest später über einen WebSocket, oder setzen Sie einen Füllsatz.',
  'explain.slow_model': 'Das Modell brauchte {ms} ms bis zum ersten Token; mehr als {limit} ms fallen auf.',
  'explain.slow_model.advice': 'Wählen Sie ein schnelleres Modell, kürzen Sie den Prompt, oder setzen Sie einen Füllsatz.',
  'explain.slow_clause':
    'Vom ersten Token bis zu Wörtern, die gesprochen werden können, dauerte es {ms} ms; mehr als {limit} ms fallen auf.',
  'explain.slow_clause.advice': 'Verlangen Sie vom Modell einen kurzen ersten Satz: eine Stimme beginnt am Ende eines Satzteils.',
  'explain.slow_tool': 'Das Werkzeug {tool} brauchte {ms} ms.',
  'explain.slow_tool.advice': 'Geben Sie dem Werkzeug einen before_text, damit inzwischen etwas gesagt wird, und ein kürzeres timeout_ms.',
  'explain.slow_voice': 'Die Antwort war da, und es dauerte {ms} ms, bis sie zu hören war; mehr als {limit} ms fallen auf.',
  'explain.slow_voice.advice':
    'Lassen Sie Antworten mit einem kurzen Satz beginnen; wählen Sie eine andere Stimme, oder geben Sie der Maschine mehr Prozessoren.',
  'explain.dead_air': 'Nachdem der Anrufer gesprochen hatte, war {seconds} s lang nichts zu hören.',
  'explain.dead_air.advice': 'Was so lange dauerte, steht in den Zeiten des Zuges; ein Füllsatz überbrückt es.',
  'explain.cut_goodbye':
    'Das Gespräch war zu Ende, als der Assistent noch sprach: die letzten Worte wurden nach {seconds} s abgeschnitten.',
  'explain.cut_goodbye.advice': 'Lassen Sie now bei hangup und transfer weg: dann geschehen sie, wenn alles gehört wurde.',
  'explain.split_turn':
    'Der Anrufer machte nur eine Pause von {ms} ms: aus einem Satz wurden zwei Züge, und die Antwort auf den ersten wurde nicht gehört.',
  'explain.split_turn.advice':
    'Stellen Sie das Zuhören auf „patient“ oder eine längere end_of_turn_silence_ms. Das Labor zeigt, welche gereicht hätte.',
  'explain.interrupted': 'Der Anrufer unterbrach den Assistenten nach {seconds} s mit „{words}“.',
  'explain.interrupted.advice':
    'Kürzere Antworten werden seltener unterbrochen. War es keine Unterbrechung, helfen barge_in und das Labor.',
  'explain.unheard_words': 'Der Anrufer sprach {seconds} s lang und wurde nicht verstanden.',
  'explain.unheard_words.guess': 'Der Anrufer sprach {seconds} s lang und wurde nicht verstanden; es war vielleicht „{words}“.',
  'explain.unheard_words.advice': 'Prüfen Sie die Sprache des Flows, und nennen Sie Namen und Fachwörter als custom_vocabulary.',
  'explain.voice_replaced': 'Die Stimme war nicht wie gewünscht: {problem}',
  'explain.voice_replaced.advice':
    'Prüfen Sie Anbieter, Stimme und Sprache von tts; statt ihrer sprach eine andere Stimme, wo es eine gab.',
  'explain.recogniser_replaced': 'Das Verstehen war nicht wie gewünscht: {problem}',
  'explain.recogniser_replaced.advice': 'Prüfen Sie Anbieter und Sprachen der Transkription; der eingebaute Erkenner springt ein.',
  'explain.action_discarded': 'Die Aktion {action} kam zu spät: der Anrufer hatte wieder gesprochen.',
  'explain.action_discarded.ended': 'Die Aktion {action} kam zu spät: das Gespräch war zu Ende.',
  'explain.action_discarded.advice': 'Antworten Sie früher, und nennen Sie in turn, auf welchen Zug geantwortet wird.',
  'explain.action_refused': 'Etwas, das der Endpunkt wollte, wurde nicht getan: {problem}',
  'explain.action_refused.advice':
    'Die Dokumentation der Aktionen sagt, was möglich ist; das Zustellprotokoll hat die Antwort, wie sie kam.',
  'explain.endpoint_error': 'Der Endpunkt konnte von einem Ereignis nichts erfahren ({tries} Versuche): {error}',
  'explain.endpoint_error.told': 'Der Endpunkt konnte von einem Ereignis erst nach {tries} gescheiterten Versuchen erfahren: {error}',
  'explain.endpoint_error.advice':
    'Sehen Sie nach, was der Endpunkt zu dieser Zeit protokolliert hat; offhook doctor --endpoint prüft den Weg dorthin.',
  'explain.model_error': 'Das Modell {model} versagte: {error}',
  'explain.model_error.advice': 'Testen Sie das Modell in den Einstellungen des Assistenten, und setzen Sie ein zweites.',
  'explain.tool_error': 'Das Werkzeug {tool} versagte.',
  'explain.tool_error.refused': 'Das Werkzeug {tool} wurde verweigert.',
  'explain.tool_error.advice':
    'Die Notiz in der Zeitleiste hat seine Argumente und was zurückkam; testen Sie das Werkzeug in den Einstellungen des Assistenten.',
  'explain.claim_stopped': 'Das Modell wollte „{sentence}“ sagen, aber kein Werkzeug hatte das getan. Es wurde nicht gesagt.',
  'explain.claim_stopped.advice':
    'Sagen Sie im Prompt, welches Werkzeug das tut und wann es zu benutzen ist, oder geben Sie dem Assistenten eines. Sonst nehmen Sie es aus dem Prompt.',
  'explain.event_not_subscribed':
    'Tasten wurden gedrückt ({count}), und der Endpunkt erfuhr es nicht: der Flow verlangt dtmf_received nicht.',
  'explain.event_not_subscribed.advice': 'Nehmen Sie dtmf_received in extended_events des Flows auf.',
  'explain.no_sound_from_phone': 'Das Telefon ({phone}) wurde {seconds} s lang nicht gehört.',
  'explain.no_sound_from_phone.unknown_source':
    'Das Telefon ({phone}) wurde nicht gehört: seine Pakete kommen von einer Adresse, die weder sein SDP noch seine Signalisierung nannte.',
  'explain.no_sound_from_phone.unknown_format': 'Das Telefon ({phone}) wurde nicht gehört: seine Pakete sind nicht wie vereinbart.',
  'explain.no_sound_from_phone.nothing': 'Das Telefon ({phone}) wurde nicht gehört: es kam kein Paket.',
  'explain.no_sound_from_phone.stopped': 'Das Telefon ({phone}) wurde nicht mehr gehört: seine Pakete blieben aus.',
  'explain.no_sound_from_phone.unheard': 'Das Telefon ({phone}) meldet, dass es keines unserer Pakete bekam.',
  'explain.no_sound_from_phone.advice': 'Prüfen Sie NAT, Firewall und Medienports auf dem Weg zum Telefon: offhook doctor.',
  'explain.packet_loss': 'Von den Paketen des Telefons ({phone}) gingen {percent} % verloren.',
  'explain.packet_loss.worst':
    'Von den Paketen des Telefons ({phone}) gingen {percent} % verloren; in den schlechtesten {seconds} s waren es {worst} %.',
  'explain.packet_loss.words':
    'Von den Paketen des Telefons ({phone}) gingen {percent} % verloren; in den schlechtesten {seconds} s waren es {worst} %, und in sie fiel, was in Beitrag {turn} gesagt wurde.',
  'explain.packet_loss.reported': 'Das Telefon ({phone}) meldet, dass {percent} % unserer Pakete nicht bei ihm ankamen.',
  'explain.packet_loss.advice':
    'Sehen Sie sich das Netz zwischen dem Telefon und hier an; Funknetze und volle Leitungen sind der übliche Grund.',
  'explain.call_failed': 'Das Gespräch endete nicht, wie es sollte: {end}',
  'explain.call_failed.advice': 'Das Ende in der Zeitleiste nennt die Ursache; offhook doctor prüft, was zu dieser Maschine gehört.',
  'explain.routed': 'Eine Regel von {target} hat den Anruf geleitet. {rule}.',
  'explain.routed.advice':
    'Die Regeln stehen beim Anschluss, bei der Gruppe, der Rufnummer oder dem Assistenten, die Zeiten unter „Geschäftszeiten“.',
}

type PrivacyError = Extract<ErrorCode, `export_${string}` | `erasure_${string}`>

export const privacyDe: Record<keyof typeof privacyEn | `error.${PrivacyError}`, string> = {
  'error.export_not_found': 'Es gibt keinen Export mit dieser Kennung, oder er ist abgelaufen.',
  'error.erasure_not_found': 'Es gibt keine Löschung mit dieser Kennung.',
  'error.export_not_ready': 'Das Archiv ist noch nicht fertig. Bitte warten Sie, bis der Export bereit ist.',
  'error.export_limit_reached': 'Mehr Exporte zugleich sind nicht möglich. Löschen Sie einen, oder warten Sie, bis einer abläuft.',
  'error.erasure_pending': 'Diese Löschung ist bereits vorgemerkt oder läuft schon.',
  'error.erasure_not_cancellable': 'Die Löschung hat begonnen oder ist beendet und kann nicht mehr zurückgenommen werden.',
  'mail.erasure.ACCOUNT': 'das ganze Konto',
  'mail.erasure.USER': 'die Daten einer Person mit Zugang',
  'mail.erasure.CONTACT': 'die Daten eines Kontakts',
  'mail.erasure.NUMBER': 'die Daten einer Rufnummer',
  'mail.erasure_scheduled.subject': 'Konto {account}: Löschung von Daten am {date}',
  'mail.erasure_scheduled.text':
    'Guten Tag,\n\nfür das Konto {account} ({company}) ist eine Löschung vorgemerkt: {what}. Sie beginnt am {date} und kann nicht rückgängig gemacht werden. Bis dahin kann ein Administrator sie in der Konsole unter Datenschutz zurücknehmen.\n\nLöschung: {id}\n',
  'mail.erasure_cancelled.subject': 'Konto {account}: Löschung zurückgenommen',
  'mail.erasure_cancelled.text':
    'Guten Tag,\n\ndie Löschung, die für das Konto {account} ({company}) am {date} vorgemerkt war ({what}), wurde zurückgenommen. Es wurde nichts gelöscht.\n\nLöschung: {id}\n',
  'mail.erasure_done.subject': 'Konto {account}: Daten gelöscht',
  'mail.erasure_done.text':
    'Guten Tag,\n\nim Konto {account} ({company}) wurde gelöscht: {what}. Einträge, die das Gesetz verlangt, bleiben ohne Namen und Rufnummern erhalten.\n\nLöschung: {id}\n',
  'mail.erasure_failed.subject': 'Konto {account}: Löschung fehlgeschlagen',
  'mail.erasure_failed.text':
    'Guten Tag,\n\nim Konto {account} ({company}) ist eine Löschung fehlgeschlagen: {what}. Den Grund zeigt die Konsole unter Datenschutz. Beheben Sie ihn und merken Sie die Löschung erneut vor.\n\nLöschung: {id}\n',
  'mail.export_ready.subject': 'Ihr Datenexport ist fertig',
  'mail.export_ready.text':
    'Guten Tag,\n\ndie Daten, die Sie aus dem Konto {account} ({company}) exportiert haben, können Sie bis {date} in der Konsole unter Datenschutz herunterladen.\n',
}
