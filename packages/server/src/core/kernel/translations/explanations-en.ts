/** Explanations of a call's course. */
export const explanationsEn = {
  'explain.running': 'The call is still running.',
  'explain.end_unknown': 'How it ended is not known.',
  'explain.lasted': 'It lasted {minutes} min {seconds} s.',
  'explain.turns.none': 'The caller said nothing that was understood.',
  'explain.turns.one': 'The caller spoke once.',
  'explain.turns.many': 'The caller spoke {turns} times.',

  'explain.slow_turn_end': 'The caller had to be silent for {ms} ms until the turn was over; more than {limit} ms are noticed.',
  'explain.slow_turn_end.advice':
    'Set turn taking to quick, or a shorter end_of_turn_silence_ms; say with expects what the caller is asked for. The lab shows what that would have cut.',
  'explain.slow_recognition': 'After the end of the turn it took {ms} ms until the words were known; more than {limit} ms are noticed.',
  'explain.slow_recognition.advice': 'Choose a smaller model or a provider for recognition, or give the machine more processors.',
  'explain.slow_endpoint': 'The endpoint took {ms} ms to answer; more than {limit} ms are noticed.',
  'explain.slow_endpoint.advice': 'Answer with the first sentence and send the rest later over a WebSocket, or set a filler.',
  'explain.slow_model': 'The model took {ms} ms until its first token; more than {limit} ms are noticed.',
  'explain.slow_model.advice': 'Choose a quicker model, shorten the prompt, or set a filler.',
  'explain.slow_clause':
    'From the first token it took {ms} ms until there were words that can be spoken; more than {limit} ms are noticed.',
  'explain.slow_clause.advice': 'Ask the model for a short first sentence: a voice begins at the end of a clause.',
  'explain.slow_tool': 'The tool {tool} took {ms} ms.',
  'explain.slow_tool.advice': 'Give the tool a before_text, so that something is said meanwhile, and a shorter timeout_ms.',
  'explain.slow_voice': 'The answer was there, and it took {ms} ms until it sounded; more than {limit} ms are noticed.',
  'explain.slow_voice.advice': 'Let answers begin with a short sentence; choose another voice, or give the machine more processors.',
  'explain.dead_air': 'For {seconds} s after the caller had spoken nothing was heard.',
  'explain.dead_air.advice': 'What took so long is in the times of the turn; a filler bridges it.',
  'explain.cut_goodbye': 'The call was over while the assistant was still speaking: the last words were cut off after {seconds} s.',
  'explain.cut_goodbye.advice': 'Leave out now in hangup and transfer: then they happen when everything was heard.',
  'explain.split_turn': 'The caller only paused for {ms} ms: one sentence became two turns, and the answer to the first was not heard.',
  'explain.split_turn.advice':
    'Set turn taking to patient, or a longer end_of_turn_silence_ms. The lab shows which would have been enough.',
  'explain.interrupted': 'The caller interrupted the assistant after {seconds} s with “{words}”.',
  'explain.interrupted.advice': 'Shorter answers are interrupted less. If it was no interruption, look at barge_in and the lab.',
  'explain.unheard_words': 'The caller spoke for {seconds} s and was not understood.',
  'explain.unheard_words.guess': 'The caller spoke for {seconds} s and was not understood; it may have been “{words}”.',
  'explain.unheard_words.advice': 'Check the language of the flow, and give names and terms as custom_vocabulary.',
  'explain.voice_replaced': 'The voice was not as wanted: {problem}',
  'explain.voice_replaced.advice': 'Check provider, voice and language of tts; another voice spoke instead where there was one.',
  'explain.recogniser_replaced': 'Understanding was not as wanted: {problem}',
  'explain.recogniser_replaced.advice': 'Check provider and languages of transcription; the embedded recogniser takes over.',
  'explain.action_discarded': 'The action {action} came too late: the caller had spoken again.',
  'explain.action_discarded.ended': 'The action {action} came too late: the call was over.',
  'explain.action_discarded.advice': 'Answer sooner, and name in turn which turn is answered.',
  'explain.action_refused': 'Something that the endpoint wanted was not done: {problem}',
  'explain.action_refused.advice': 'The documentation of actions says what is possible; the delivery log has the answer as it came.',
  'explain.endpoint_error': 'The endpoint could not be told of an event ({tries} tries): {error}',
  'explain.endpoint_error.told': 'The endpoint could be told of an event only after {tries} failed tries: {error}',
  'explain.endpoint_error.advice': 'Look at the endpoint and its log at this time; offhook doctor --endpoint checks the way there.',
  'explain.model_error': 'The model {model} failed: {error}',
  'explain.model_error.advice': 'Test the model in the settings of the assistant, and set a second one.',
  'explain.tool_error': 'The tool {tool} failed.',
  'explain.tool_error.refused': 'The tool {tool} was refused.',
  'explain.tool_error.advice':
    'The note in the timeline has its arguments and what came back; test the tool in the settings of the assistant.',
  'explain.claim_stopped': 'The model wanted to say “{sentence}”, but no tool had done that. It was not said.',
  'explain.claim_stopped.advice':
    'Say in the prompt which tool does it and when to use it, or give the assistant a tool for it. Take it out of the prompt otherwise.',
  'explain.event_not_subscribed': 'Keys were pressed ({count}), and the endpoint was not told: the flow does not ask for dtmf_received.',
  'explain.event_not_subscribed.advice': 'Add dtmf_received to extended_events of the flow.',
  'explain.no_sound_from_phone': 'The phone of the {phone} was not heard for {seconds} s.',
  'explain.no_sound_from_phone.unknown_source':
    'The phone of the {phone} was not heard: its packets come from an address that neither its SDP nor its signalling named.',
  'explain.no_sound_from_phone.unknown_format': 'The phone of the {phone} was not heard: its packets are not as agreed.',
  'explain.no_sound_from_phone.nothing': 'The phone of the {phone} was not heard: no packet came.',
  'explain.no_sound_from_phone.stopped': 'The phone of the {phone} was no longer heard: its packets stopped.',
  'explain.no_sound_from_phone.unheard': 'The phone of the {phone} reports that it got none of our packets.',
  'explain.no_sound_from_phone.advice': 'Check NAT, firewall and the media ports on the way to the phone: offhook doctor.',
  'explain.packet_loss': 'Of the packets of the {phone}, {percent} % got lost.',
  'explain.packet_loss.worst': 'Of the packets of the {phone}, {percent} % got lost; in the worst {seconds} s, {worst} %.',
  'explain.packet_loss.words':
    'Of the packets of the {phone}, {percent} % got lost; in the worst {seconds} s, {worst} %, and what was said in turn {turn} was in them.',
  'explain.packet_loss.reported': 'The phone of the {phone} reports that {percent} % of our packets did not reach it.',
  'explain.packet_loss.advice': 'Look at the network between the phone and here; wireless networks and full uplinks are the usual reason.',
  'explain.call_failed': 'The call did not end as it should: {end}',
  'explain.call_failed.advice': 'The end in the timeline has the cause; offhook doctor checks what belongs to this machine.',
  'explain.routed': 'A rule of {target} led the call. {rule}.',
  'explain.routed.advice': 'Rules are set with the line, group, number or assistant, the times under “Office hours”.',
}

/** Mails about exports and erasures. */
export const privacyEn = {
  'mail.erasure.ACCOUNT': 'the account with everything in it',
  'mail.erasure.USER': 'the data of a user',
  'mail.erasure.CONTACT': 'the data of a contact',
  'mail.erasure.NUMBER': 'the data of a caller',
  'mail.erasure_scheduled.subject': 'Account {account}: data will be erased on {date}',
  'mail.erasure_scheduled.text':
    'Hello,\n\nin account {account} ({company}), {what} will be erased on {date}. Nothing of it can be restored afterwards. Until then an administrator can cancel the erasure in the console under Privacy.\n\nErasure: {id}\n',
  'mail.erasure_cancelled.subject': 'Account {account}: an erasure was cancelled',
  'mail.erasure_cancelled.text':
    'Hello,\n\nin account {account} ({company}), {what} was to be erased on {date}. The erasure was cancelled; nothing was erased.\n\nErasure: {id}\n',
  'mail.erasure_done.subject': 'Account {account}: data was erased',
  'mail.erasure_done.text':
    'Hello,\n\nin account {account} ({company}), {what} was erased. Entries that law requires were kept without names and numbers.\n\nErasure: {id}\n',
  'mail.erasure_failed.subject': 'Account {account}: an erasure failed',
  'mail.erasure_failed.text':
    'Hello,\n\nin account {account} ({company}), {what} could not be erased. The console shows the reason under Privacy. Remove it, then schedule the erasure again.\n\nErasure: {id}\n',
  'mail.export_ready.subject': 'Your data export is ready',
  'mail.export_ready.text':
    'Hello,\n\nthe data that you exported from account {account} ({company}) can be downloaded in the console under Privacy until {date}.\n',
}
