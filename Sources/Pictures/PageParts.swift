/// The fixed styles and scripts of pages. The content security policy of a page contains their
/// digests.
enum PageParts {
  static let style = """
    :root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--wave:#7fb0de;\
    --loud:#2f6fb0;--mark:#1a7f37;--gap:#b35900;--clip:#cf222e;--cursor:#8250df;--link:#0550ae}
    @media(prefers-color-scheme:dark){:root{--paper:#16181d;--ink:#e6e9ee;--soft:#9aa4b2;--line:#3a404b;\
    --wave:#3c6a99;--loud:#79b8f5;--mark:#4ac26b;--gap:#f0883e;--clip:#ff7b72;--cursor:#d2a8ff;--link:#79b8f5}}
    body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
    main{max-width:75rem;margin:0 auto;padding:1rem;box-sizing:border-box}
    h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}
    h2{font-size:1.1rem;margin:1rem 0 .25rem}
    .facts,.keys{color:var(--soft);margin:.25rem 0 1rem;overflow-wrap:anywhere}
    audio{width:100%}
    .position{display:flex;gap:.75rem;align-items:center;margin:.5rem 0}
    .position[hidden]{display:none}
    .position input{flex:1;min-width:0}
    .picture{position:relative;margin:.5rem 0 0;border:1px solid var(--line);border-radius:4px;overflow:hidden}
    .picture>svg:first-child{display:block;width:100%;height:clamp(6rem,22vh,14rem)}
    .picture>img{display:block;width:100%;height:clamp(8rem,30vh,20rem)}
    .over{position:absolute;inset:0;width:100%;height:100%;pointer-events:none}
    .over text{font-size:11px;fill:#fff;paint-order:stroke;stroke:#000;stroke-width:2px}
    .times{display:block;width:100%;height:20px;overflow:hidden}
    .times text{font-size:11px;fill:var(--soft)}
    .wave{fill:var(--wave)}.loud{fill:var(--loud)}.clip{fill:var(--clip)}
    .mark{stroke:var(--mark);stroke-width:2}
    .gap{stroke:var(--gap);stroke-width:3;stroke-dasharray:4 3}
    .cursor{stroke:var(--cursor);stroke-width:2}
    .seekable{cursor:pointer}
    ol{list-style:none;margin:0;padding:0}
    li a{display:inline-block;padding:.25rem 0;color:var(--link);overflow-wrap:anywhere}
    :focus-visible{outline:3px solid var(--cursor);outline-offset:2px}
    """

  static let script = """
    (() => {
      const main = document.querySelector('main');
      const sound = document.getElementById('sound');
      const position = document.getElementById('position');
      const from = Number(main.dataset.from);
      const length = Number(main.dataset.length);
      const start = Number(main.dataset.start);
      const cursors = document.querySelectorAll('.cursor');
      const marks = [...document.querySelectorAll('[aria-label=Marks] a')].map(a => Number(a.dataset.time));
      const clock = seconds => {
        const all = Math.max(0, Math.floor(seconds));
        const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
        const two = number => String(number).padStart(2, '0');
        return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
      };
      const now = () => sound.currentTime + start;
      const show = () => {
        const share = Math.min(1, Math.max(0, (now() - from) / length));
        for (const line of cursors) {
          line.setAttribute('x1', `${100 * share}%`);
          line.setAttribute('x2', `${100 * share}%`);
        }
        position.value = share * length;
        position.setAttribute('aria-valuetext', clock(now()));
      };
      const seek = time => {
        sound.currentTime = Math.min(from + length, Math.max(from, time)) - start;
        show();
      };
      const follow = () => {
        show();
        if (!sound.paused) requestAnimationFrame(follow);
      };
      const jump = step => {
        const here = now();
        const next = step > 0
          ? marks.find(time => time > here + 0.05)
          : marks.findLast(time => time < here - 1);
        if (next !== undefined) seek(next);
      };
      for (const hidden of document.querySelectorAll('[hidden]')) hidden.hidden = false;
      for (const picture of document.querySelectorAll('.picture')) {
        picture.classList.add('seekable');
        picture.addEventListener('click', event => {
          const box = picture.getBoundingClientRect();
          seek(from + (event.clientX - box.left) / box.width * length);
        });
      }
      document.addEventListener('click', event => {
        const link = event.target.closest('[data-time]');
        if (!link) return;
        event.preventDefault();
        seek(Number(link.dataset.time));
      });
      document.addEventListener('keydown', event => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const own = event.target.closest('audio, input, a');
        const keys = {
          ' ': () => sound.paused ? sound.play() : sound.pause(),
          ArrowLeft: () => seek(now() - 5), ArrowRight: () => seek(now() + 5),
          n: () => jump(1), p: () => jump(-1),
        };
        const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
        const isTaken = own && (own.matches('audio') || (own.matches('input') && key.startsWith('Arrow')));
        if (!keys[key] || isTaken) return;
        event.preventDefault();
        keys[key]();
      });
      position.addEventListener('input', () => seek(from + Number(position.value)));
      for (const event of ['timeupdate', 'seeked', 'loadedmetadata']) sound.addEventListener(event, show);
      sound.addEventListener('play', follow);
      const wanted = /^#t=([0-9.]+)$/.exec(location.hash);
      sound.addEventListener('loadedmetadata', () => {
        if (wanted) seek(Number(wanted[1]));
        else if (sound.currentTime + start < from) seek(from);
      }, {once: true});
      show();
    })();
    """

  /// The style of the rows of tracks.
  static let trackStyle = """
    .track{display:flex;gap:.75rem;align-items:center;margin:.75rem 0 .25rem}
    .track h2{margin:0;overflow-wrap:anywhere}
    .track+.picture>svg:first-child{height:clamp(4rem,14vh,9rem)}
    .mute{font:inherit;padding:.1rem .75rem;color:var(--ink);background:var(--paper);\
    border:1px solid var(--soft);border-radius:4px;cursor:pointer}
    .mute[aria-pressed=true]{color:var(--paper);background:var(--ink)}
    .mute:disabled{color:var(--soft);border-color:var(--line);cursor:default}
    """

  /// The script that mutes tracks. Each track has its own gain. A track with one channel plays on
  /// both sides. A track with two channels plays the first channel on the left and the second on
  /// the right.
  static let trackScript = """
    (() => {
      const sound = document.getElementById('sound');
      const file = document.getElementById('file');
      const buttons = [...document.querySelectorAll('.mute')];
      const channels = buttons.map(button => [Number(button.dataset.first), Number(button.dataset.last)]);
      let gains;
      const connect = () => {
        if (!gains) {
          const context = new AudioContext();
          const splitter = context.createChannelSplitter(1 + Math.max(...channels.flat()));
          context.createMediaElementSource(sound).connect(splitter);
          gains = channels.map(track => {
            const sides = context.createChannelMerger(2);
            track.forEach((channel, side) => splitter.connect(sides, channel, side));
            const gain = context.createGain();
            sides.connect(gain).connect(context.destination);
            return gain;
          });
          show();
        }
        gains[0].context.resume();
      };
      const show = () => buttons.forEach((button, index) => {
        const isMuted = button.getAttribute('aria-pressed') === 'true';
        if (gains) gains[index].gain.value = isMuted ? 0 : 1;
      });
      for (const button of buttons) {
        button.addEventListener('click', () => {
          button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') !== 'true');
          show();
        });
        // Space mutes, and does not play.
        button.addEventListener('keydown', event => {
          if (event.key === ' ') event.stopPropagation();
        });
      }
      if (!file) {
        sound.addEventListener('play', connect);
        return;
      }
      for (const button of buttons) button.disabled = true;
      file.addEventListener('change', () => {
        const chosen = file.files[0];
        if (!chosen) return;
        const isSame = chosen.name === file.dataset.name;
        file.setCustomValidity(isSame ? '' : `Choose ${file.dataset.name}.`);
        if (!file.reportValidity()) return;
        const [time, isPlaying] = [sound.currentTime, !sound.paused];
        sound.src = URL.createObjectURL(chosen);
        sound.currentTime = time;
        connect();
        if (isPlaying) sound.play();
        sound.addEventListener('play', connect);
        for (const button of buttons) button.disabled = false;
      });
    })();
    """
}
