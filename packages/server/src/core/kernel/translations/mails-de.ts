/** German mails. */
export const mailsDe = {
  'mail.password_reset.subject': 'Neues Passwort festlegen',
  'mail.password_reset.text':
    'Guten Tag,\n\nfür Ihr Konto wurde ein neues Passwort angefordert. Wenn Sie das waren, öffnen Sie innerhalb von {minutes} Minuten diesen Link:\n\n{link}\n\nWenn Sie es nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.\n',
  'mail.invitation.subject': 'Einladung zu {company}',
  'mail.invitation.text':
    'Guten Tag,\n\n{inviter} hat Sie zur Telefonanlage von {company} eingeladen. Öffnen Sie diesen Link innerhalb von {days} Tagen und wählen Sie Ihr Passwort:\n\n{link}\n\nWenn Sie damit nichts anfangen können, brauchen Sie nichts zu tun.\n',
  'mail.email_change.subject': 'Bitte bestätigen Sie Ihre neue E-Mail-Adresse',
  'mail.email_change.text':
    'Guten Tag,\n\nmit dieser Adresse sollen Sie sich künftig anmelden. Wenn das stimmt, öffnen Sie diesen Link innerhalb von {hours} Stunden:\n\n{link}\n\nWenn nicht, brauchen Sie nichts zu tun.\n',
  'mail.verification.subject': 'Ihr Bestätigungscode',
  'mail.verification.text':
    'Guten Tag,\n\nIhr Bestätigungscode lautet {code}.\n\nWenn Sie diese Nachricht nicht erwartet haben, können Sie sie ignorieren.\n',
  'mail.caller.anonymous': 'unbekannt (Rufnummer unterdrückt)',
  'mail.missed_call.subject': 'Verpasster Anruf von {caller}',
  'mail.missed_call.text': 'Guten Tag,\n\nauf {called} wurde ein Anruf von {caller} nicht angenommen.\n',
  'mail.booking.subject': 'Ihr Termin: {calendar}, {when}',
  'mail.booking.text': 'Guten Tag,\n\nIhr Termin: {service} bei {person}, {when}.\n\nEr hängt als Kalenderdatei an.\n\n{calendar}\n',
  'mail.booking_cancelled.subject': 'Abgesagt: {calendar}, {when}',
  'mail.booking_cancelled.text': 'Guten Tag,\n\nIhr Termin wurde abgesagt: {service} bei {person}, {when}.\n\n{calendar}\n',
  'mail.assistant_message.subject': 'Nachricht von {caller}, aufgenommen von {flow}',
  'mail.assistant_message.text':
    'Guten Tag,\n\n{flow} hat in einem Anruf von {caller} eine Nachricht aufgenommen.\n\nName: {name}\nErreichbar unter: {phone}\n\n{text}\n',
  'mail.voicemail.said': '„{said}“',
  'mail.voicemail.unsure': '„{said}“ (automatische Mitschrift, unsicher)',
  'mail.voicemail.silent': 'In dieser Aufnahme ist kein Ton angekommen.',
  'mail.voicemail.subject': 'Neue Nachricht von {caller}',
  'mail.voicemail.text':
    'Guten Tag,\n\nauf {called} wurde eine Nachricht von {caller} hinterlassen. Sie dauert {seconds} Sekunden.{transcription}\n\nZum Anhören wählen Sie an Ihrem Telefon die 50000, oder rufen Sie die Nachricht in Ihrem Verlauf ab.\n',
  'mail.spending_warning.subject': 'Konto {account}: {percent} % des Tageslimits sind verbraucht',
  'mail.spending_warning.text':
    'Guten Tag,\n\ndas Konto {account} ({company}) hat heute {percent} % dessen ausgegeben, was es an einem Tag für Anrufe, Faxe und SMS ausgeben darf. Ist das unerwartet, sehen Sie bitte nach, wer telefoniert: gestohlene Zugangsdaten zeigen sich so zuerst.\n',
  'mail.spending_stopped.subject': 'Konto {account}: das Tageslimit ist erreicht',
  'mail.spending_stopped.text':
    'Guten Tag,\n\ndas Konto {account} ({company}) hat ausgegeben, was es an einem Tag ausgeben darf. Bis Mitternacht (UTC) gehen keine Anrufe, Faxe und SMS mehr hinaus, die etwas kosten; Notrufe gehen immer. Ist das unerwartet, ändern Sie bitte die Passwörter der Telefone.\n',
  'mail.balance_low.subject': 'Konto {account}: noch {left} Guthaben',
  'mail.balance_low.text':
    'Guten Tag,\n\ndas Guthaben des Kontos {account} ({company}) beträgt noch {left} und liegt damit unter dem Betrag, bei dem Sie gewarnt werden wollten. Ist es aufgebraucht, geht nichts mehr hinaus, was etwas kostet; Notrufe gehen immer.\n',
  'mail.porting_optin.subject': 'Bitte bestätigen Sie die Mitnahme Ihrer Rufnummern',
  'mail.porting_optin.text':
    'Guten Tag,\n\nwir wurden beauftragt, diese Rufnummern von Ihrem bisherigen Anbieter zu übernehmen:\n\n{numbers}\n\nWenn Sie einverstanden sind, öffnen Sie diesen Link. Er funktioniert einmal.\n\n{link}\n\nWenn Sie nicht einverstanden sind, brauchen Sie nichts zu tun.\n',
  'mail.sms.subject': 'SMS von {caller}',
  'mail.sms.text': 'Guten Tag,\n\n{caller} hat an {called} geschrieben:\n\n{content}\n',
  'mail.sms_sent.subject': 'SMS an {called} gesendet',
  'mail.sms_sent.text': 'Guten Tag,\n\ndiese Nachricht von {caller} ist unterwegs an {called}:\n\n{content}\n',
  'mail.sms_failed.subject': 'SMS an {called} nicht zugestellt',
  'mail.sms_failed.text': 'Guten Tag,\n\ndiese Nachricht von {caller} hat {called} nicht erreicht:\n\n{content}\n',
  'mail.fax.subject': 'Fax von {caller}',
  'mail.fax.text': 'Guten Tag,\n\nfür {called} ist ein Fax von {caller} eingegangen (Seiten: {pages}). Sie finden es in Ihrem Verlauf.\n',
  'mail.fax_partial.subject': 'Unvollständiges Fax von {caller}',
  'mail.fax_partial.text':
    'Guten Tag,\n\ndie Übertragung eines Faxes von {caller} an {called} ist abgebrochen. Was ankam (Seiten: {pages}), finden Sie in Ihrem Verlauf.\n',
  'mail.fax_sent.subject': 'Fax an {called} gesendet',
  'mail.fax_sent.text': 'Guten Tag,\n\nIhr Fax an {called} ist angekommen (Seiten: {pages}).\n',
  'mail.fax_failed.subject': 'Fax an {called} nicht zugestellt',
  'mail.fax_failed.text': 'Guten Tag,\n\nIhr Fax an {called} konnte nicht zugestellt werden. {reason}\n',
}
