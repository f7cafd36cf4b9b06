/** Server-sent events of a response that is read with fetch: EventSource can neither post nor send a key. */

/** Yield `{name, data}` for each event, its data read as JSON. */
export async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      held += decoder.decode(value, { stream: !done });
      const parts = held.split("\n\n");
      held = parts.pop();
      for (const part of parts) {
        const event = eventOf(part);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(part) {
  let name = "message";
  const data = [];
  for (const line of part.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
